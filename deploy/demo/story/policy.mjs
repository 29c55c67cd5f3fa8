import { readFile, rename, writeFile } from "node:fs/promises";
import { ask } from "../daemon.mjs";
import { claim, command } from "../narrator.mjs";
import { configFile } from "../node.mjs";
import { within } from "../wait.mjs";

/** Sets the policy of the network `storage` in the daemon's configuration, and waits until it is in force. */
export async function setStoragePolicy(mode) {
  command(`$EDITOR daemon-config.json   # networks."default/storage".delErrorPolicy.mode: "${mode}"`);
  const before = await reloads();
  const config = JSON.parse(await readFile(configFile, "utf8"));
  const network = config.networks["default/storage"];
  // The same configuration again is no reload.
  if (network.delErrorPolicy.mode === mode) return;
  network.delErrorPolicy.mode = mode;
  await writeFile(`${configFile}.new`, `${JSON.stringify(config, undefined, 2)}\n`);
  await rename(`${configFile}.new`, configFile);
  claim(
    "the daemon took it over without a restart",
    await within(10_000, async () => (await reloads()) > before),
  );
}

async function reloads() {
  const { text } = await ask("/metrics");
  const counts = text.matchAll(/^multus_config_reloads_total\{outcome="[a-z-]+"\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
