import * as Type from "typebox";
import { CniErrorBody } from "./cni-error-body.ts";

/** RFC 3339 UTC. */
const Time = Type.String({ description: "RFC 3339, UTC" });

const Pod = Type.Object({ namespace: Type.String(), name: Type.String(), uid: Type.String() });

const Policy = Type.Object({
  mode: Type.Union([Type.Literal("strict"), Type.Literal("lenient"), Type.Literal("deferred")]),
  source: Type.Union([
    Type.Literal("daemon-networks"),
    Type.Literal("definition"),
    Type.Literal("network-configuration"),
    Type.Literal("plugin-configuration"),
    Type.Literal("namespace"),
    Type.Literal("multus-configuration"),
    Type.Literal("default"),
    Type.Literal("unreadable-record"),
  ]),
});

const PluginError = Type.Object({ plugin: Type.String(), code: Type.Number(), msg: Type.String() });

export const Attachment = Type.Object({
  sandbox: Type.String({ description: "CNI_CONTAINERID" }),
  pod: Type.Union([Pod, Type.Null()]),
  network: Type.String({ description: "namespace/name of the definition, or the network's name" }),
  interface: Type.String(),
  plugins: Type.Array(Type.String()),
  ips: Type.Array(Type.String()),
  mac: Type.String(),
  deviceId: Type.String(),
  policy: Policy,
  state: Type.Union([Type.Literal("adding"), Type.Literal("added"), Type.Literal("deleting")]),
  since: Time,
  networkStatus: Type.Optional(Type.Array(Type.Unknown(), { description: "on the primary's item only" })),
});

const Attempt = Type.Object({
  at: Time,
  outcome: Type.Union([Type.Literal("failed"), Type.Literal("fenced"), Type.Literal("interrupted")]),
  durationMs: Type.Number(),
  error: Type.Union([PluginError, Type.Null()]),
});

export const Deletion = Type.Object({
  id: Type.String(),
  state: Type.Union([Type.Literal("pending"), Type.Literal("dead")]),
  sandbox: Type.String({ description: "CNI_CONTAINERID" }),
  pod: Type.Union([Pod, Type.Null()]),
  network: Type.String(),
  interface: Type.String(),
  plugins: Type.Array(Type.String(), { description: "types of the plugins whose DEL is left" }),
  policy: Policy,
  attempts: Type.Number(),
  lastError: Type.Union([PluginError, Type.Null()]),
  nextAttempt: Type.Union([Time, Type.Null()], { description: "null for a dead letter" }),
  created: Time,
  age: Type.String({ description: "elapsed time, such as 3m20s" }),
  reason: Type.String(),
  next: Type.String({ description: "what an operator can do about it" }),
  history: Type.Optional(
    Type.Array(Attempt, {
      description: "the first try and the latest ones, oldest first; not in listings",
    }),
  ),
});

export const DeletionRetry = Type.Object({
  outcome: Type.Union([
    Type.Literal("settled"),
    Type.Literal("failed"),
    Type.Literal("fenced"),
    Type.Literal("busy"),
  ]),
  deletion: Deletion,
});

const Leak = Type.Object({
  sandbox: Type.String({ description: "CNI_CONTAINERID" }),
  pod: Type.Union([Pod, Type.Null()]),
  interface: Type.String({ description: "CNI_IFNAME of the primary network" }),
  networks: Type.Array(Type.String()),
  kind: Type.Union([Type.Literal("previous-boot"), Type.Literal("no-namespace")]),
  action: Type.Union([Type.Literal("delete"), Type.Literal("report")], {
    description: "what the daemon does with it once its grace is over",
  }),
  since: Time,
  why: Type.String(),
});

const Step = Type.Object({
  at: Time,
  requestId: Type.String(),
  command: Type.String(),
  step: Type.String(),
  network: Type.String(),
  outcome: Type.String(),
  durationMs: Type.Number(),
  text: Type.String(),
});

export const Explanation = Type.Object({
  pod: Pod,
  attachments: Type.Array(Attachment),
  deletions: Type.Array(Deletion),
  steps: Type.Array(Step),
  next: Type.Array(Type.String(), { description: "what an operator can do now" }),
});

export const AttachmentList = Type.Object({ items: Type.Array(Attachment) });
export const LeakList = Type.Object({ items: Type.Array(Leak) });
export const DeletionList = Type.Object({ items: Type.Array(Deletion) });

const ReadinessGap = Type.Object({ what: Type.String(), detail: Type.String() });

/** `/readyz` at 200: the list is empty. */
export const Ready = Type.Object({ items: Type.Array(ReadinessGap) });

/** `/readyz` at 503: a CNI error as every failure, and the list of what is missing. */
export const NotReady = Type.Object({ ...CniErrorBody.properties, items: Type.Array(ReadinessGap) });

/** `namespace/name`; both parts as Kubernetes spells names. */
const podPattern = "^[^/\\s]+/[^/\\s]+$";

export const AttachmentQuery = Type.Object({
  pod: Type.Optional(Type.String({ pattern: podPattern, maxLength: 512, description: "namespace/name" })),
  network: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  sandbox: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: "CNI_CONTAINERID" })),
});

export const ExplainQuery = Type.Object({
  pod: Type.String({ pattern: podPattern, maxLength: 512, description: "namespace/name" }),
});

export const DeletionParameters = Type.Object({ id: Type.String({ minLength: 1, maxLength: 256 }) });

export const Abandonment = Type.Object({
  reason: Type.String({
    pattern: "\\S",
    maxLength: 1024,
    description: "why it is given up; goes to the log and an event",
  }),
});
