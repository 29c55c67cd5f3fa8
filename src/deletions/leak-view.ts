import type { LeakView } from "../attachments/views.ts";
import type { Leftover } from "./assess-leftover.ts";
import { viewPod } from "./deletion-view.ts";

/** A leftover as operators see it. */
export function viewLeak({ record, kind, pod, action }: Leftover): LeakView {
  return {
    sandbox: record.containerId,
    pod: viewPod(record.pod),
    interface: record.ifName,
    networks: record.attachments.map(({ network }) => network),
    kind,
    action,
    since: record.created,
    why: `${whyOf[kind]}; ${podTexts[pod]}`,
  };
}

const whyOf: Readonly<Record<Leftover["kind"], string>> = {
  "previous-boot": "it was attached in an earlier boot, whose namespaces are gone",
  "no-namespace": "its network namespace is gone, or its path is another one's",
};

const podTexts: Readonly<Record<Leftover["pod"], string>> = {
  gone: "its pod is not there either",
  there: "but its pod is there: the runtime is expected to send DEL",
  unknown: "nobody here knows whether its pod is there",
};
