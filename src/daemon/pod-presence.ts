import type { PodSource } from "../attachments/ports.ts";
import type { PodPresence } from "../deletions/assess-leftover.ts";

/** @param isComplete true while the source knows all pods of this node */
export function podPresence(pods: PodSource, isComplete: () => boolean): PodPresence {
  return async (reference) => {
    if (!isComplete()) return "unknown";
    try {
      const pod = await pods.findPod(reference, AbortSignal.timeout(5000));
      if (!isComplete()) return "unknown";
      if (pod === undefined) return "gone";
      // The kubelet's UID of a static pod is another one than its manifest's.
      const isSame =
        pod.isStatic || pod.uid === undefined || reference.uid === undefined || pod.uid === reference.uid;
      return isSame ? "there" : "gone";
    } catch {
      // A source that cannot answer just now is asked again in the next round.
      return "unknown";
    }
  };
}
