import { readdir, readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { begin, claim, command, output } from "../narrator.mjs";
import { home, inPod, leases } from "../node.mjs";
import { callShim, createSandbox, destroySandbox } from "../runtime.mjs";

/** A power cut left a result cache file of 0 bytes and half a sandbox record. */
export async function damageRecords() {
  begin(
    "Damaged files",
    "A result cache file of 0 bytes has kept pods in Terminating for ever elsewhere. Here a DEL runs all the same.",
  );
  const sandbox = await createSandbox("web");
  const added = await callShim("ADD", sandbox, { quiet: true });
  claim("a pod is attached to its three networks", added.code === 0, added.stdout);
  const results = join(home, "cni/results");
  const caches = (await readdir(results)).filter((name) => name.includes(sandbox.id));
  const cache = caches.find((name) => name.startsWith("lan"));
  claim("its result cache files are there", caches.length === 3, caches.length);
  command(`truncate -s 0 cni/results/${shorten(cache)}`);
  await truncate(join(results, cache), 0);
  const record = join(home, "state/sandboxes", `${sandbox.id}.json`);
  const half = Math.floor((await readFile(record)).length / 2);
  command(`truncate -s ${half} state/sandboxes/${shorten(`${sandbox.id}.json`)}`);
  await truncate(record, half);

  const deleted = await callShim("DEL", sandbox);
  claim("the runtime saw a success", deleted.code === 0 && deleted.stdout === "", deleted.stdout);
  claim("every address is free again", (await leases()).length === 0);
  claim("every interface is gone", !/eth0|lan0|storage0/.test(await inPod("web", "ip", "-br", "link")));
  command("ls state/quarantine");
  const quarantined = await readdir(join(home, "state/quarantine"));
  output(quarantined.map(shorten).join("\n"));
  claim("what could not be read was kept for whoever wants to know why", quarantined.length >= 1);
  await destroySandbox(sandbox);
}

/** A container ID has 64 digits. */
function shorten(name) {
  return name.replaceAll(/[0-9a-f]{64}/g, (id) => `${id.slice(0, 12)}…`);
}
