import type { CniCommand, CniInvocation } from "../../src/attachments/invocation.ts";
import type { BootClock } from "../../src/attachments/ports.ts";
import type { SpooledDeletion } from "../../src/deletions/ports.ts";

/** How one request differs from that of container `c1`, interface `eth0` and pod `default/p1`. */
export interface CallWishes {
  readonly containerId?: string;
  readonly ifName?: string;
  readonly netns?: string;
  /** `namespace/name`; default `default/p1`. */
  readonly pod?: string | null;
  readonly uid?: string;
  readonly args?: readonly (readonly [string, string])[];
  readonly startNs?: string;
  readonly bootId?: string;
  readonly config?: object | string;
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
}

/** A request as it comes out of the server, begun just now. */
export function buildInvocation(clock: BootClock, command: CniCommand, wishes: CallWishes): CniInvocation {
  const { containerId = "c1", ifName = "eth0", config = {}, limitMs } = wishes;
  const standard = { cniVersion: "1.0.0", name: "multus", type: "multus-shim" };
  return {
    command,
    containerId,
    ifName,
    requestId: "request-1",
    netns: wishes.netns ?? `/run/netns/${containerId}`,
    args: wishes.args ?? podArgs(containerId, wishes),
    path: [],
    config: typeof config === "string" ? config : JSON.stringify({ ...standard, ...config }),
    generation: {
      bootId: wishes.bootId ?? clock.bootId,
      startNs: wishes.startNs ?? clock.nowNs().toString(),
    },
    ...(limitMs === undefined ? {} : { deadlineNs: process.hrtime.bigint() + BigInt(limitMs) * 1_000_000n }),
  };
}

/** The entry that a shim makes of a DEL which no daemon takes. */
export function spooledEntry(
  { containerId, ifName, netns, args, config, generation }: CniInvocation,
  name = `${containerId}-${ifName}`,
): SpooledDeletion {
  return {
    name,
    env: {
      CNI_COMMAND: "DEL",
      CNI_CONTAINERID: containerId,
      CNI_IFNAME: ifName,
      CNI_NETNS: netns,
      CNI_ARGS: args.map((pair) => pair.join("=")).join(";"),
    },
    config,
    generation,
  };
}

/** The way back, as the daemon goes it; `undefined` for an entry that names no container. */
export function spooledInvocation(
  clock: BootClock,
  { name, env, config, generation }: SpooledDeletion,
): CniInvocation | undefined {
  const { CNI_CONTAINERID: containerId, CNI_IFNAME: ifName = "", CNI_NETNS: netns = "", CNI_ARGS = "" } = env;
  if (containerId === undefined) return undefined;
  const wishes = { containerId, ifName, netns, args: splitArgs(CNI_ARGS), config };
  return { ...buildInvocation(clock, "DEL", wishes), requestId: `spool-${name}`, generation };
}

function podArgs(containerId: string, { pod = "default/p1", uid }: CallWishes): [string, string][] {
  if (pod === null) return [];
  const [namespace = "", name = ""] = pod.split("/");
  return [
    ["IgnoreUnknown", "1"],
    ["K8S_POD_NAMESPACE", namespace],
    ["K8S_POD_NAME", name],
    ["K8S_POD_INFRA_CONTAINER_ID", containerId],
    ["K8S_POD_UID", uid ?? `uid-${name}`],
  ];
}

function splitArgs(text: string): (readonly [string, string])[] {
  const pairs = text.split(";").filter((pair) => pair !== "");
  return pairs.map((pair) => {
    const at = pair.indexOf("=");
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
}
