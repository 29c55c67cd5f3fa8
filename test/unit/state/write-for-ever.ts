import { DurableDirectory } from "../../../src/state/durable-directory.ts";
import { Quarantine } from "../../../src/state/quarantine.ts";
import { FileSandboxStore } from "../../../src/state/sandbox-store.ts";
import { doneMark, sandboxRecord } from "./standard-records.ts";

/*
 * A process to be killed: `<sandboxes> <quarantine>`. Replaces one container's entry for ever by a long record and a
 * short mark in turn, and prints a line once it has begun.
 */
const [, , sandboxes = "", quarantine = ""] = process.argv;
const store = new FileSandboxStore(
  new DurableDirectory(sandboxes),
  new Quarantine(quarantine, () => undefined),
);
await store.save(sandboxRecord());
process.stdout.write("begun\n");
for (;;) {
  await store.save(doneMark());
  await store.save(sandboxRecord("c1", { netns: "x".repeat(100_000) }));
}
