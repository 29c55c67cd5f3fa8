import { build } from "esbuild";
import { describe, expect, it } from "vitest";

describe("the bundle of multusctl", () => {
  it("holds nothing of the daemon's libraries, so that it starts at once", async () => {
    const { metafile } = await build({
      entryPoints: ["src/cli/multusctl-main.ts"],
      bundle: true,
      platform: "node",
      format: "esm",
      write: false,
      metafile: true,
    });

    const libraries = Object.keys(metafile.inputs)
      .map((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1])
      .filter((library) => library !== undefined);
    expect([...new Set(libraries)]).toEqual(["yaml"]);
  });
});
