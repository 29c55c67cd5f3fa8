import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DurableDirectory } from "../../../src/state/durable-directory.ts";
import { seal } from "../../../src/state/envelope.ts";
import { Quarantine } from "../../../src/state/quarantine.ts";
import { SpoolDirectory } from "../../../src/state/spool-directory.ts";
import { bootId } from "./standard-records.ts";
import { temporaryDirectory } from "./state-fixture.ts";

const fixtures = join(import.meta.dirname, "../../fixtures/wire");
const unexpected = (error: unknown) => expect.unreachable(JSON.stringify(error));

describe("the files that shim and daemon share", () => {
  it("an entry that the shim spools is read with its configuration byte for byte", async () => {
    const path = await temporaryDirectory();
    await mkdir(join(path, "spool"));
    await writeFile(
      join(path, "spool", "2f1a9c@eth0.json"),
      await readFile(join(fixtures, "spool-entry.json")),
    );
    const directory = new DurableDirectory(join(path, "spool"));
    const quarantine = new Quarantine(join(path, "quarantine"), unexpected);
    const spool = new SpoolDirectory({ directory, quarantine, bootId, onTrouble: unexpected });

    const [entry] = await spool.list();

    expect(entry).toMatchObject({
      name: "2f1a9c@eth0.json",
      env: { CNI_COMMAND: "DEL", CNI_CONTAINERID: "2f1a9c", CNI_IFNAME: "eth0" },
      generation: { bootId: "0b1f3a52-6f0e-4b6e-9d0c-2a7e5c1d4f88", startNs: "4711000000123" },
    });
    expect(entry?.config).toMatch(
      /^\{"cniVersion":"1\.0\.0".*"big":12345678901234567890,"text":"é \\u00e9 \\"\/<"\}$/,
    );
  });

  it.each([
    ["strict-marker.json", "multusd.strict", { containerId: "2f1a9c" }],
    [
      "ready.json",
      "multusd.ready",
      { bootId: "0b1f3a52-6f0e-4b6e-9d0c-2a7e5c1d4f88", atNs: "18446744073709551615" },
    ],
  ])("%s is what the daemon writes", async (name, kind, body) => {
    const expected = await readFile(join(fixtures, name), "utf8");

    expect(seal(kind, body).toString().trim()).toBe(expected.trim());
  });
});
