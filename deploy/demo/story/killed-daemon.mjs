import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { daemonPid, endDaemon, items, startDaemon } from "../daemon.mjs";
import { begin, claim, command, output } from "../narrator.mjs";
import { home, inPod, leases } from "../node.mjs";
import { callShim, createSandbox, destroySandbox } from "../runtime.mjs";
import { within } from "../wait.mjs";
import { showSpoolCounter } from "./metrics.mjs";

/** The daemon is killed; the runtime's DEL comes while nobody is there. */
export async function killDaemon() {
  begin("kill -9", "The daemon dies, a pod is deleted meanwhile, and the next daemon does what is owed.");
  const sandbox = await createSandbox("batch");
  const added = await callShim("ADD", sandbox, { quiet: true });
  claim("another pod is attached to two networks", added.code === 0, added.stdout);
  command(`kill -9 ${daemonPid()}   # multusd`);
  await endDaemon("SIGKILL");

  const deleted = await callShim("DEL", sandbox);
  claim(
    "the runtime is not held up",
    deleted.code === 0 && deleted.ms < 1_500,
    `exit ${deleted.code}, ${deleted.ms.toFixed(0)} ms`,
  );
  command("ls state/spool");
  const spool = join(home, "state/spool");
  output((await spooled(spool)).map((name) => `${name.slice(0, 12)}…${name.slice(64)}`).join("\n"));
  claim("the DEL is on disk", (await spooled(spool)).length === 1);
  claim("and its addresses are still held", (await leases()).length === 2);

  command("multusd starts again");
  const readyAfterMs = await startDaemon();
  claim(`ready after ${readyAfterMs.toFixed(0)} ms`, true);
  const settled = await within(
    10_000,
    async () => (await leases()).length === 0 && (await spooled(spool)).length === 0,
  );
  claim("the DEL was done without being asked", settled);
  claim("the interfaces are gone", !/eth0|lan0/.test(await inPod("batch", "ip", "-br", "link")));
  claim("no attachment is on record", (await items("/v1/attachments")).length === 0);
  await showSpoolCounter();
  await destroySandbox(sandbox);
}

async function spooled(directory) {
  return (await readdir(directory)).filter((name) => !name.startsWith("."));
}
