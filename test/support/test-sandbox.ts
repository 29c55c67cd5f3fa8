import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import { podManifest, writeManifest } from "./manifests.ts";
import { makeNamespace, type TestNamespace } from "./network-namespace.ts";
import { type RunningShim, runShim, type ShimCall, type ShimOutcome, startShim } from "./shim.ts";

export interface SandboxWishes {
  /** The pod's networks annotation; a pod without one has no manifest of its own networks. */
  readonly networks?: string;
  readonly namespace?: string;
  /** Another sandbox's pod. */
  readonly pod?: string;
  readonly containerId?: string;
}

/** How one call differs from what a runtime sends as a rule. */
export interface CallWishes {
  readonly cniVersion?: string;
  /** Keys of the shim's stdin beside the usual ones. */
  readonly stdin?: Readonly<Record<string, unknown>>;
  readonly netns?: string;
  readonly ifName?: string;
  readonly limitMs?: number;
  /** Words before the shim's command. */
  readonly wrapper?: readonly string[];
}

/** One pod's sandbox in a real network namespace, driven through the shim. */
export interface TestSandbox {
  readonly containerId: string;
  readonly pod: string;
  readonly namespace: TestNamespace;
  call(command: string, wishes?: CallWishes): ShimCall;
  run(command: string, wishes?: CallWishes): Promise<ShimOutcome>;
  begin(command: string, wishes?: CallWishes): RunningShim;
}

interface SandboxHome {
  readonly socket: string;
  readonly stateDir: string;
  readonly manifestDir: string;
}

export async function makeSandbox(home: SandboxHome, wishes: SandboxWishes): Promise<TestSandbox> {
  const containerId = wishes.containerId ?? randomBytes(16).toString("hex");
  const pod = wishes.pod ?? `pod-${randomBytes(4).toString("hex")}`;
  const podNamespace = wishes.namespace ?? "default";
  const uid = `uid-${pod}`;
  const manifest = podManifest({
    name: pod,
    namespace: podNamespace,
    uid,
    ...(wishes.networks === undefined ? {} : { networks: wishes.networks }),
  });
  await writeManifest(home.manifestDir, `pod-${podNamespace}-${pod}.json`, manifest);
  const namespace = await makeNamespace();
  onTestFinished(async () => await namespace.remove());
  const args = [
    "IgnoreUnknown=1",
    `K8S_POD_NAMESPACE=${podNamespace}`,
    `K8S_POD_NAME=${pod}`,
    `K8S_POD_INFRA_CONTAINER_ID=${containerId}`,
    `K8S_POD_UID=${uid}`,
  ].join(";");
  const call = (command: string, one: CallWishes = {}): ShimCall => ({
    command,
    containerId,
    args,
    netns: one.netns ?? namespace.path,
    stdin: JSON.stringify(shimConfiguration(home, one)),
    ...(one.ifName === undefined ? {} : { ifName: one.ifName }),
    ...(one.limitMs === undefined ? {} : { limitMs: one.limitMs }),
    ...(one.wrapper === undefined ? {} : { wrapper: one.wrapper }),
  });
  return {
    containerId,
    pod,
    namespace,
    call,
    run: async (command, one) => await runShim(call(command, one)),
    begin: (command, one) => startShim(call(command, one)),
  };
}

/** What the daemon would have generated for the runtime. */
function shimConfiguration(home: SandboxHome, wishes: CallWishes): object {
  const { shim, ...rest } = wishes.stdin ?? {};
  return {
    cniVersion: wishes.cniVersion ?? "1.0.0",
    name: "multus-cni-network",
    type: "multus-shim",
    daemonSocketDir: home.socket.slice(0, home.socket.lastIndexOf("/")),
    shim: { spoolDir: `${home.stateDir}/spool`, ...(shim as object | undefined) },
    ...rest,
  };
}
