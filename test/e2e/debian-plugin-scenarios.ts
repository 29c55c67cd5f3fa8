import type { Attachment } from "../../src/cni/index.ts";

/** What one list does to node and pod. */
export interface Scenario {
  readonly name: string;
  /** Shell commands that the kernel must take for it, in a namespace of their own. */
  readonly needs: string;
  plugins(dataDir: string): readonly object[];
  readonly more?: Partial<Attachment>;
  /** In the result; default: one of each family. */
  readonly addresses?: readonly string[];
  /** Shell commands in the pod and in the node, and what they print once ADD has been. */
  readonly inPod?: readonly [string, RegExp];
  readonly inNode?: readonly [string, RegExp];
  /** Shell commands that undo a part, so that CHECK has something to find. */
  readonly spoilPod?: string;
  readonly spoilNode?: string;
  /** What CHECK says while all is there; default: `fine`. */
  readonly whole?: RegExp;
}

const bothFamilies = /inet 10\.214\.0\.2\/24.*inet6 fd00:214::2\/64/s;
const showLink = "ip addr show dev eth0";

/** Two families by host-local, from ranges of their own. */
function hostLocal(dataDir: string): object {
  const ranges = [[{ subnet: "10.214.0.0/24" }], [{ subnet: "fd00:214::/64" }]];
  return { type: "host-local", ranges, routes: [{ dst: "0.0.0.0/0" }, { dst: "::/0" }], dataDir };
}

function bridge(dataDir: string): object {
  return { type: "bridge", bridge: "br0", isGateway: true, ipam: hostLocal(dataDir) };
}

const tuning = { type: "tuning", sysctl: { "net.ipv4.conf.eth0.arp_filter": "1" }, mtu: 1400 };
const rate = { ingressRate: 1e6, ingressBurst: 2e6, egressRate: 1e6, egressBurst: 2e6 };
const bandwidth = { type: "bandwidth", ...rate };
const firewall = { type: "firewall", backend: "iptables" };

const needsVeth = "ip link add mt-v type veth peer name mt-w";
const needsBridge = `${needsVeth}; ip link add mt-b type bridge; ip link set mt-v master mt-b`;
const needsMacvlan = `${needsVeth}; ip link add link mt-v name mt-m type macvlan mode bridge`;
const needsIfb =
  "ip link add mt-i type ifb; tc qdisc add dev mt-i root tbf rate 1mbit burst 10kb latency 25ms";
const established = "-A FORWARD -m conntrack --ctstate ESTABLISHED -m comment --comment c -j ACCEPT";
const needsFilter = `iptables ${established}; ip6tables ${established}`;
const toPort =
  "-A PREROUTING -m addrtype --dst-type LOCAL -p tcp -m multiport --dports 1 -j DNAT --to-destination";
const needsNat = `iptables -t nat ${toPort} 10.0.0.1:1; ip6tables -t nat ${toPort} [fd00::1]:1`;

export const fourPlugins: Scenario = {
  name: "bridge, tuning, firewall and bandwidth",
  needs: [needsBridge, needsFilter, needsIfb].join("; "),
  plugins: (dataDir) => [bridge(dataDir), tuning, firewall, bandwidth],
  inPod: [`cat /proc/sys/net/ipv4/conf/eth0/arp_filter; ${showLink}`, /^1\n.*mtu 1400.*10\.214\.0\.2/s],
  inNode: ["tc qdisc; iptables-save", /tbf .*-s 10\.214\.0\.2\/32/s],
  spoilNode: "iptables -F CNI-FORWARD",
};

export const scenarios: readonly Scenario[] = [
  {
    name: "bridge with host-local",
    needs: needsBridge,
    plugins: (dataDir) => [bridge(dataDir)],
    inPod: [showLink, bothFamilies],
    inNode: ["ip -br addr", /br0 .*10\.214\.0\.1\/24 fd00:214::1\/64.*veth/s],
    spoilPod: "ip addr flush dev eth0",
  },
  {
    name: "ptp with host-local",
    needs: `${needsVeth}; ${needsFilter}`,
    plugins: (dataDir) => [{ type: "ptp", ipMasq: true, ipam: hostLocal(dataDir) }],
    inPod: [showLink, bothFamilies],
    inNode: ["iptables-save -t nat; ip6tables-save -t nat", /10\.214\.0\.2.*fd00:214::2/s],
    spoilPod: "ip route delete default",
  },
  {
    name: "macvlan with static",
    needs: needsMacvlan,
    plugins: () => {
      const addresses = [{ address: "10.214.0.2/24", gateway: "10.214.0.1" }, { address: "fd00:214::2/64" }];
      return [{ type: "macvlan", master: "lan", ipam: { type: "static", addresses } }];
    },
    inPod: [`ip -d link show dev eth0; ${showLink}`, /macvlan mode bridge.*10\.214\.0\.2.*fd00:214::2/s],
    spoilPod: "ip link delete eth0",
  },
  {
    name: "loopback",
    needs: "true",
    plugins: () => [{ type: "loopback" }],
    more: { ifName: "lo" },
    addresses: ["127.0.0.1/8", "::1/128"],
    inPod: ["ip addr show dev lo", /,UP.*inet 127\.0\.0\.1\/8.*inet6 ::1\/128/s],
    spoilPod: "ip link set lo down",
  },
  {
    name: "tuning after bridge",
    needs: needsBridge,
    plugins: (dataDir) => [bridge(dataDir), tuning],
    inPod: [`${showLink}; cat /proc/sys/net/ipv4/conf/eth0/arp_filter`, /mtu 1400.*\n1\n/s],
    spoilPod: "echo 0 > /proc/sys/net/ipv4/conf/eth0/arp_filter",
  },
  {
    name: "bandwidth after bridge",
    needs: `${needsBridge}; ${needsIfb}`,
    plugins: (dataDir) => [bridge(dataDir), bandwidth],
    inNode: ["tc qdisc", /tbf .* dev veth.*tbf .* dev bwp/s],
    spoilNode: "ip link delete $(ip -br link show type ifb | cut -d' ' -f1)",
  },
  {
    name: "firewall after bridge",
    needs: `${needsBridge}; ${needsFilter}`,
    plugins: (dataDir) => [bridge(dataDir), firewall],
    inNode: [
      "iptables-save; ip6tables-save",
      /-s 10\.214\.0\.2\/32 -j ACCEPT.*-s fd00:214::2\/128 -j ACCEPT/s,
    ],
    spoilNode: "iptables -F CNI-FORWARD",
  },
  {
    name: "portmap after bridge",
    needs: `${needsBridge}; ${needsNat}`,
    plugins: (dataDir) => [
      bridge(dataDir),
      { type: "portmap", capabilities: { portMappings: true }, snat: true },
    ],
    more: { capabilityArgs: { portMappings: '[{"hostPort":20080,"containerPort":80,"protocol":"tcp"}]' } },
    inNode: [
      "iptables-save; ip6tables-save",
      /--to-destination 10\.214\.0\.2:80.*--to-destination \[fd00:214::2\]:80/s,
    ],
    spoilNode: "iptables -t nat -F CNI-HOSTPORT-DNAT",
    // Version 1.1.1 looks for its IPv4 rules in ip6tables too.
    whole: /^fine$|^could not check ipv6 dnat/,
  },
  fourPlugins,
];
