import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ask, endDaemon, items, leftProcesses } from "../daemon.mjs";
import { begin, claim, command, output } from "../narrator.mjs";
import { home, inNode, leases, namespaces, nodeNamespace, removeNode } from "../node.mjs";

/** What the pods had is gone before anything is cleaned up, and what the demo had is gone after. */
export async function proveNothingIsLeft() {
  begin("Nothing is left");
  await proveNoPodIsLeft();
  const code = await endDaemon("SIGTERM");
  claim("SIGTERM: the daemon drained and ended with 0", code === 0, code);
  claim(
    "its socket is gone",
    (await stat(join(home, "run/multus.sock")).catch(() => undefined)) === undefined,
  );
  const left = await leftProcesses();
  claim("no process of it or of a plugin is left", left.length === 0, left.join("; "));

  command(`rm -r ${home}; ip netns delete ${nodeNamespace}`);
  await removeNode();
  claim("no namespace is left", (await namespaces()).length === 0);
  claim("no file is left", (await stat(home).catch(() => undefined)) === undefined);
}

async function proveNoPodIsLeft() {
  command("ip -br link   # of the node");
  const links = await inNode("ip", "-br", "link");
  output(links);
  claim("no pod's link: only the two bridges and the LAN that the demo made", !/veth[0-9a-f]{8}/.test(links));
  const rules = await inNode("iptables-save", "-t", "nat");
  claim("no pod's firewall rule", !/CNI-DN-|CNI-[0-9a-f]{20,}/.test(rules));
  claim("no address is held by IPAM", (await leases()).length === 0);
  claim("no pod's namespace", (await namespaces()).join() === nodeNamespace);
  claim(
    "no attachment, no owed deletion",
    (await items("/v1/attachments")).length + (await items("/v1/deletions")).length === 0,
  );
  const spool = (await readdir(join(home, "state/spool"))).filter((name) => !name.startsWith("."));
  claim("an empty spool", spool.length === 0, spool.join());
  claim("no result cache file", (await readdir(join(home, "cni/results"))).length === 0);
  claim("the daemon is ready for the next pod", (await ask("/readyz"))?.status === 200);
}
