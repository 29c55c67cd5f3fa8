import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { DurableDirectory } from "../../../src/state/durable-directory.ts";
import { Quarantine } from "../../../src/state/quarantine.ts";
import { FileSandboxStore } from "../../../src/state/sandbox-store.ts";
import { sandboxRecord } from "./standard-records.ts";
import { temporaryDirectory } from "./state-fixture.ts";

describe("without a descriptor left", () => {
  it("a good record is not called corrupt: the read is tried again and then fails by name", async () => {
    const path = await temporaryDirectory();
    const [sandboxes, quarantine] = [join(path, "sandboxes"), join(path, "quarantine")];
    const store = new FileSandboxStore(
      new DurableDirectory(sandboxes),
      new Quarantine(quarantine, () => undefined),
    );
    await store.save(sandboxRecord());
    const program = fileURLToPath(new URL("./exhaust-descriptors.ts", import.meta.url));

    const script = `ulimit -n 64; exec "$@"`;
    const args = ["-c", script, "sh", process.execPath, program, sandboxes, quarantine];
    const { stdout } = await promisify(execFile)("sh", args);

    expect(JSON.parse(stdout)).toEqual({
      without: `EMFILE at ${sandboxes}/c1.json`,
      after: "entry",
      corrupt: 0,
    });
  });
});
