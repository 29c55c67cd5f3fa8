import {
  buildPluginRequest,
  convertResult,
  parseNetworkList,
  parseResult,
  printResult,
} from "../../src/cni/index.ts";

/** How often a second something can be done, one after another. */
export interface Rate {
  readonly name: string;
  readonly perSecond: number;
}

const list = JSON.stringify({
  cniVersion: "1.1.0",
  name: "pods",
  plugins: [
    {
      type: "bridge",
      bridge: "br0",
      isGateway: true,
      mtu: 1450,
      ipam: { type: "host-local", ranges: [[{ subnet: "10.1.0.0/16" }], [{ subnet: "fd00::/64" }]] },
      capabilities: { ips: true, mac: true },
    },
    { type: "portmap", capabilities: { portMappings: true }, snat: true },
    { type: "tuning", sysctl: { "net.core.somaxconn": "500" } },
  ],
});

const result = JSON.stringify({
  cniVersion: "0.4.0",
  interfaces: [{ name: "br0" }, { name: "veth1" }, { name: "eth0", sandbox: "/run/netns/x" }],
  ips: [
    { version: "4", interface: 2, address: "10.1.0.5/16", gateway: "10.1.0.1" },
    { version: "6", interface: 2, address: "fd00::5/64" },
  ],
  routes: [{ dst: "0.0.0.0/0" }, { dst: "::/0" }],
});

/** What src/cni does without a plugin: a list of three, its first plugin's request, and a result. */
export function measureRates(): readonly Rate[] {
  const parsed = parseNetworkList(list);
  const prevResult = parseResult(result);
  const [plugin] = parsed.plugins;
  if (plugin === undefined) throw new Error("the list has no plugin");
  const capabilityArgs = { ips: '["10.1.0.9/16"]', mac: '"02:00:00:00:00:01"' };
  return [
    rate("lists of three plugins parsed", () => parseNetworkList(list)),
    rate("requests built", () => buildPluginRequest(parsed, plugin, { prevResult, capabilityArgs })),
    rate("results read, converted and printed", () =>
      printResult(convertResult(parseResult(result), "1.1.0")),
    ),
  ];
}

function rate(name: string, action: () => unknown): Rate {
  repeat(action, 300);
  return { name, perSecond: repeat(action, 1_000) };
}

function repeat(action: () => unknown, forMs: number): number {
  const started = performance.now();
  let times = 0;
  while (performance.now() - started < forMs) {
    for (let once = 0; once < 100; once += 1) action();
    times += 100;
  }
  return (times * 1000) / (performance.now() - started);
}
