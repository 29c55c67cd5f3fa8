import { Failure } from "./failure.ts";
import type { Log } from "./instruments.ts";
import type { CniInvocation } from "./invocation.ts";
import type { Pod, PodSource } from "./ports.ts";
import type { PodReference } from "./sandbox.ts";

/** The pod that CNI_ARGS names; `undefined` for a runtime that knows no pods. */
export function podReferenceOf(args: readonly (readonly [string, string])[]): PodReference | undefined {
  const given = new Map(args);
  const namespace = given.get("K8S_POD_NAMESPACE");
  const name = given.get("K8S_POD_NAME");
  const uid = given.get("K8S_POD_UID");
  if (!namespace || !name) return undefined;
  return uid ? { namespace, name, uid } : { namespace, name };
}

export interface PodOfSandbox {
  readonly reference: PodReference | undefined;
  readonly pod: Pod | undefined;
}

/**
 * Looks the sandbox's pod up.
 * @throws {Failure} `pod-mismatch` if the pod of that name is another one, and what the source says
 */
export async function findPodOf(
  invocation: CniInvocation,
  pods: PodSource,
  log: Log,
  signal: AbortSignal,
): Promise<PodOfSandbox> {
  const reference = podReferenceOf(invocation.args);
  if (reference === undefined) return { reference, pod: undefined };
  const pod = await pods.findPod(reference, signal);
  if (pod === undefined) {
    log.warn(
      { containerID: invocation.containerId, pod: reference },
      "pod is not known: it gets the cluster's networks only",
    );
    return { reference, pod };
  }
  if (isAnother(pod, reference)) {
    throw new Failure(
      "pod-mismatch",
      `pod ${pod.namespace}/${pod.name} has UID ${pod.uid}, the runtime's sandbox is of UID ${reference.uid}; the runtime tries again`,
    );
  }
  return { reference, pod };
}

function isAnother(pod: Pod, reference: PodReference): boolean {
  return !pod.isStatic && pod.uid !== undefined && reference.uid !== undefined && pod.uid !== reference.uid;
}
