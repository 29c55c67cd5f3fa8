import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitForReadinessFile } from "../../../src/attachments/readiness-file.ts";
import { Deadline } from "../../../src/foundation/deadline.ts";

async function fileInNewDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "multusd-ready-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return join(directory, "ready");
}

const { signal } = new AbortController();

describe("readinessindicatorfile", () => {
  it("holds an ADD until it is there", async () => {
    const file = await fileInNewDirectory();

    const waiting = waitForReadinessFile(file, Deadline.after(20_000), signal);
    await writeFile(file, "");

    await expect(waiting).resolves.toBeUndefined();
  });

  it("is not-ready with its name when it does not come within half of the ADD's time", async () => {
    const file = await fileInNewDirectory();

    await expect(waitForReadinessFile(file, Deadline.after(300), signal)).rejects.toMatchObject({
      failureClass: "not-ready",
      message: expect.stringContaining(file),
    });
  });

  it("is not waited for once the caller has gone", async () => {
    const gone = AbortSignal.abort(new Error("gone"));
    const file = await fileInNewDirectory();

    await expect(waitForReadinessFile(file, Deadline.after(20_000), gone)).rejects.toThrow("gone");
  });
});
