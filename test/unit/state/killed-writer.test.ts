import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { DurableDirectory } from "../../../src/state/durable-directory.ts";
import { Quarantine } from "../../../src/state/quarantine.ts";
import { FileSandboxStore } from "../../../src/state/sandbox-store.ts";
import { openStateDirectory } from "../../../src/state/state-directory.ts";
import { temporaryDirectory } from "./state-fixture.ts";

const rounds = 4;

describe("a writer that is killed at any moment", () => {
  it("leaves the old record or the new one, and its next start leaves no file in the making", async () => {
    const path = await temporaryDirectory();
    await Promise.all(["a", "b"].map((name) => killAndRead(join(path, name))));
  }, 30_000);
});

async function killAndRead(stateDir: string): Promise<void> {
  const open = () => openStateDirectory({ stateDir, requirePersistentState: false });
  const { sandboxes, quarantine } = await open();
  for (let round = 0; round < rounds; round += 1) {
    await killWriter(sandboxes, quarantine, Math.random() * 40);
    const corrupt = new Quarantine(quarantine, ({ reason }) => expect.unreachable(reason));
    const store = new FileSandboxStore(new DurableDirectory(sandboxes), corrupt);

    await expect(store.load({ containerId: "c1", ifName: "eth0" })).resolves.toMatchObject({ kind: "entry" });
    await open();
    await expect(readdir(sandboxes)).resolves.toEqual(["c1.json"]);
  }
}

async function killWriter(sandboxes: string, quarantine: string, afterMs: number): Promise<void> {
  const program = fileURLToPath(new URL("./write-for-ever.ts", import.meta.url));
  const writer = spawn(process.execPath, [program, sandboxes, quarantine], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void writer.kill("SIGKILL"));
  await once(writer.stdout, "data");
  await pause(afterMs);
  writer.kill("SIGKILL");
  await once(writer, "exit");
}
