import { randomBytes } from "node:crypto";
import { command, output } from "./narrator.mjs";
import { addPodNamespace, dist, home, namespacePath, removePodNamespace } from "./node.mjs";
import { run } from "./run.mjs";

const uids = { web: "11111111-aaaa-4bbb-8ccc-000000000001", batch: "11111111-aaaa-4bbb-8ccc-000000000002" };

/** What a runtime passes to its CNI plugin for a pod with one published port. */
const configuration = {
  cniVersion: "1.0.0",
  name: "multus-cni-network",
  type: "multus-shim",
  daemonSocketDir: `${home}/run`,
  shim: { spoolDir: `${home}/state/spool` },
  runtimeConfig: { portMappings: [{ hostPort: 18_080, containerPort: 80, protocol: "tcp" }] },
};

/** A sandbox as a container runtime makes one: an ID and a network namespace. */
export async function createSandbox(pod) {
  const sandbox = { pod, id: randomBytes(32).toString("hex") };
  await addPodNamespace(pod);
  return sandbox;
}

export async function destroySandbox(sandbox) {
  await removePodNamespace(sandbox.pod);
}

/** Calls the shim and shows what the runtime saw. */
export async function callShim(verb, sandbox, { quiet = false } = {}) {
  const env = {
    PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
    CNI_COMMAND: verb,
    CNI_CONTAINERID: sandbox.id,
    CNI_NETNS: namespacePath(sandbox.pod),
    CNI_IFNAME: "eth0",
    CNI_PATH: `${home}/bin`,
    CNI_ARGS: [
      "IgnoreUnknown=1",
      "K8S_POD_NAMESPACE=default",
      `K8S_POD_NAME=${sandbox.pod}`,
      `K8S_POD_INFRA_CONTAINER_ID=${sandbox.id}`,
      `K8S_POD_UID=${uids[sandbox.pod]}`,
    ].join(";"),
  };
  const outcome = await run(dist("multus-shim"), [], { env, stdin: JSON.stringify(configuration) });
  if (!quiet) {
    command(
      `CNI_COMMAND=${verb} CNI_CONTAINERID=${sandbox.id.slice(0, 12)}… dist/multus-shim <multus.conf   # pod ${sandbox.pod}`,
    );
    if (outcome.stdout !== "") output(outcome.stdout);
    output(`exit ${outcome.code} after ${outcome.ms.toFixed(0)} ms`);
  }
  return outcome;
}
