import { closeSync, openSync } from "node:fs";
import { DurableDirectory } from "../../../src/state/durable-directory.ts";
import { Quarantine } from "../../../src/state/quarantine.ts";
import { FileSandboxStore } from "../../../src/state/sandbox-store.ts";

/*
 * A process with few descriptors: `<sandboxes> <quarantine>`. Uses them all up, loads a record, gives them back, loads
 * it again; prints what each load said and how many files were called corrupt.
 */
const [, , sandboxes = "", quarantine = ""] = process.argv;
let corrupt = 0;
const countCorrupt = new Quarantine(quarantine, () => {
  corrupt += 1;
});
const store = new FileSandboxStore(new DurableDirectory(sandboxes), countCorrupt);
const load = () =>
  store.load({ containerId: "c1", ifName: "eth0" }).then(
    ({ kind }) => kind,
    (error: unknown) => (error instanceof Error && "details" in error ? error.details : error),
  );

const used = useAll();
const without = await load();
for (const descriptor of used) closeSync(descriptor);
process.stdout.write(JSON.stringify({ without, after: await load(), corrupt }));

function useAll(): number[] {
  const descriptors: number[] = [];
  try {
    for (;;) descriptors.push(openSync("/dev/null", "r"));
  } catch {
    return descriptors;
  }
}
