import { items, multusctl } from "../daemon.mjs";
import { begin, claim, command, output } from "../narrator.mjs";
import { inNode, inPod, leases } from "../node.mjs";
import { callShim, createSandbox, destroySandbox } from "../runtime.mjs";

/** ADD of a pod with three networks, and its DEL while all is well. */
export async function attachPod() {
  begin(
    "A pod gets three networks",
    "The runtime calls the shim once. The primary network comes from the node's configuration, two more from the pod's annotation.",
  );
  const sandbox = await createSandbox("web");
  const added = await callShim("ADD", sandbox);
  claim(
    "the runtime got the primary network's result",
    added.code === 0 && JSON.parse(added.stdout).ips.length === 1,
    added.code,
  );
  await showInterfaces();
  await showStatus(sandbox);

  begin("The pod gives them back");
  const deleted = await callShim("DEL", sandbox);
  claim("exit 0, nothing printed", deleted.code === 0 && deleted.stdout === "", deleted.stdout);
  claim("its addresses are free again", (await leases()).length === 0);
  claim("its interfaces are gone", !/eth0|lan0|storage0/.test(await inPod("web", "ip", "-br", "link")));
  claim("its published port is closed", !(await inNode("iptables-save", "-t", "nat")).includes("18080"));
  await destroySandbox(sandbox);
}

async function showInterfaces() {
  command("ip -br addr   # inside the pod");
  const addresses = await inPod("web", "ip", "-br", "addr");
  output(addresses);
  claim("eth0 by bridge and host-local", /^eth0@\S+\s+UP\s+10\.88\.0\./m.test(addresses));
  claim("lan0 by macvlan on a link of the node", /^lan0@\S+\s+UP\s+10\.89\.0\./m.test(addresses));
  claim(
    "storage0 with the address that the pod asked for",
    /^storage0@\S+\s+UP\s+10\.90\.0\.10\/24/m.test(addresses),
  );
  const rules = await inNode("iptables-save", "-t", "nat");
  claim(
    "port 18080 of the node leads to the pod",
    /--dport 18080 .*DNAT --to-destination 10\.88\.0\.\d+:80/.test(rules),
  );
}

async function showStatus(sandbox) {
  command("multusctl attachments");
  output(await multusctl("attachments"));
  const attachments = await items(`/v1/attachments?sandbox=${sandbox.id}`);
  claim("three attachments on record", attachments.length === 3, attachments.length);
  const status = attachments.find((one) => one.networkStatus !== undefined)?.networkStatus ?? [];
  command("the network-status, as a cluster would show it on the pod");
  output(JSON.stringify(status, undefined, 2));
  const interfaces = status.map((one) => one.interface).join(" ");
  claim("it names eth0, lan0 and storage0", interfaces === "eth0 lan0 storage0", interfaces);
}
