import { items, multusctl } from "../daemon.mjs";
import { begin, claim, command, output } from "../narrator.mjs";
import { breakSwitch, leases, repairSwitch, storageCalls } from "../node.mjs";
import { callShim, createSandbox, destroySandbox } from "../runtime.mjs";
import { within } from "../wait.mjs";
import { setStoragePolicy } from "./policy.mjs";

/** A DEL of which one network's plugin fails, under each policy. */
export async function failEachWay() {
  await strict();
  await lenient();
  await deferred();
}

async function attachAndBreak() {
  const sandbox = await createSandbox("web");
  const added = await callShim("ADD", sandbox, { quiet: true });
  claim("a pod is attached to its three networks", added.code === 0, added.stdout);
  await breakSwitch();
  command("the switch behind the network storage goes down");
  return sandbox;
}

async function strict() {
  begin(
    "A DEL fails: strict",
    "The runtime is told, and asks again; meanwhile everything else is given back.",
  );
  await setStoragePolicy("strict");
  const sandbox = await attachAndBreak();
  const refused = await callShim("DEL", sandbox);
  const error = JSON.parse(refused.stdout);
  claim(
    "the runtime got the plugin's own error code 101",
    refused.code === 1 && error.code === 101,
    refused.stdout,
  );
  claim("its message names the network default/storage", error.msg.includes("default/storage"), error.msg);
  claim("the other two networks gave their addresses back", (await leases()).length === 0);
  await repairSwitch();
  const before = (await storageCalls()).length;
  command("the switch is back; the runtime tries again");
  const settled = await callShim("DEL", sandbox);
  claim("now it is a success", settled.code === 0 && settled.stdout === "", settled.stdout);
  claim("and only the plugin that was left had to run", (await storageCalls()).length === before + 1);
  await destroySandbox(sandbox);
}

async function lenient() {
  begin("A DEL fails: lenient", "One attempt; the failure is logged and counted, the pod goes.");
  await setStoragePolicy("lenient");
  const sandbox = await attachAndBreak();
  const deleted = await callShim("DEL", sandbox);
  claim("the runtime saw a success", deleted.code === 0 && deleted.stdout === "", deleted.stdout);
  claim("nothing is owed", (await items("/v1/deletions")).length === 0);
  await repairSwitch();
  await destroySandbox(sandbox);
}

async function deferred() {
  begin(
    "A DEL fails: deferred",
    "The default: the pod goes at once, the daemon owes the deletion and does not forget it.",
  );
  await setStoragePolicy("deferred");
  const sandbox = await attachAndBreak();
  const deleted = await callShim("DEL", sandbox);
  claim("the runtime saw a success", deleted.code === 0 && deleted.stdout === "", deleted.stdout);
  command("multusctl deletions list");
  output(await multusctl("deletions", "list"));
  const owed = await items("/v1/deletions");
  claim(
    "one deletion is owed, on disk",
    owed.length === 1 && owed[0].network === "default/storage",
    owed.length,
  );
  await repairSwitch();
  command("the switch is back");
  const before = performance.now();
  const settled = await within(10_000, async () => (await items("/v1/deletions")).length === 0);
  claim(`the daemon settled it by itself, ${(performance.now() - before).toFixed(0)} ms later`, settled);
  await destroySandbox(sandbox);
}
