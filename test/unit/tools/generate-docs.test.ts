import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);

/** Runs the tool's function in a Node of its own: it is plain JavaScript, which the tests' compiler does not see. */
async function replaceGenerated(page: string, name: string, content: string): Promise<string> {
  const script = `
    import { replaceGenerated } from "./tools/docs/generated-section.mjs";
    process.stdout.write(replaceGenerated(...JSON.parse(process.argv[1])));`;
  const args = ["--input-type=module", "-e", script, JSON.stringify([page, name, content])];
  return (await run(process.execPath, args)).stdout;
}

describe("generated sections", () => {
  it("are replaced between their markers, and nothing else is", async () => {
    const page = "a\n<!-- generated:x -->\nold $& <!-- generated:y -->\n<!-- /generated:x -->\nb\n";
    expect(await replaceGenerated(page, "x", "new $& $1")).toBe(
      "a\n<!-- generated:x -->\nnew $& $1\n<!-- /generated:x -->\nb\n",
    );
  });

  it.each(["nothing", "<!-- generated:x -->", "<!-- /generated:x --><!-- generated:x -->"])(
    "are refused where the markers are not a pair: %s",
    async (page) => {
      await expect(replaceGenerated(page, "x", "new")).rejects.toThrow("once each, in this order");
    },
  );

  it("of this repository are up to date", async () => {
    const { stdout } = await run(process.execPath, ["tools/generate-docs.mjs", "--check"]);
    expect(stdout).toBe("");
  });
});
