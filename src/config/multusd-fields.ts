import { type Static, Type } from "typebox";
import { delErrorPolicy, networkSettings, policyForm, timeoutFields } from "./network-settings-schema.ts";
import {
  absolutePath,
  autoOrCount,
  checked,
  choice,
  count,
  duration,
  flag,
  parseListenAddress,
  pathProblem,
} from "./schema-fields.ts";

const limitFields = {
  concurrentDelegates: Type.Optional(
    autoOrCount(10_000, {
      description: "Plugins that run at the same time; `auto`: from the memory limit of the cgroup.",
      default: "auto",
    }),
  ),
  queue: Type.Optional(count(1, 1_000_000, { description: "Requests that may wait.", default: 1000 })),
  reservedForDel: Type.Optional(count(0, 1000, { description: "Slots that only DEL may use.", default: 2 })),
  deadLetters: Type.Optional(
    count(1, 1_000_000, {
      description: "Given-up deletions that are kept; of more, the oldest go to `deletions/archive.jsonl`.",
      default: 10_000,
    }),
  ),
  spoolEntries: Type.Optional(
    count(1, 1_000_000, {
      description:
        "DELs that may lie in the spool before the log says so. The shim's own bound is 10000: it refuses what is beyond.",
      default: 10_000,
    }),
  ),
};

const shimFields = {
  waitForDaemon: Type.Optional(
    duration({ description: "ADD, CHECK, GC: wait for a daemon.", default: "60s" }),
  ),
  addTimeout: Type.Optional(duration({ description: "A whole ADD.", default: "3m" })),
  delTimeout: Type.Optional(duration({ description: "A whole DEL against a live daemon.", default: "50s" })),
  delDecisionTime: Type.Optional(
    duration({ description: "DEL without a daemon: after this the policy decides.", default: "1s" }),
  ),
  statusTimeout: Type.Optional(duration({ description: "A whole STATUS.", default: "4s" })),
  statusGrace: Type.Optional(
    duration({
      description: "STATUS without a daemon: a success for so long after it was ready.",
      default: "30s",
    }),
  ),
  spoolDir: Type.Optional(
    absolutePath({ description: "Where a DEL goes that no daemon took.", defaultText: "`<stateDir>/spool`" }),
  ),
};

/** Keys that upstream does not have (contract §6). */
export const multusdFields = {
  stateDir: Type.Optional(
    absolutePath({
      description: "Directory of the durable records. Must survive a restart of the node.",
      defaultText: "`<cniDir>/multusd`",
    }),
  ),
  requirePersistentState: Type.Optional(
    flag({ description: "Refuse to start where `stateDir` is on an overlay or in memory.", default: false }),
  ),
  delErrorPolicy: Type.Optional(
    delErrorPolicy(
      `What becomes of a plugin's failed DEL where nothing closer to the network says so: ${policyForm}.`,
      "`deferred`",
    ),
  ),
  networks: Type.Optional(
    Type.Unsafe<Readonly<Record<string, Static<typeof networkSettings>>>>({
      type: "object",
      additionalProperties: networkSettings,
      description: "Settings of single networks, by the definition's `namespace/name` or the network name.",
      default: {},
    }),
  ),
  timeouts: Type.Optional(Type.Object(timeoutFields, { description: "Time limits." })),
  collectLeftovers: Type.Optional(
    Type.Object(
      {
        previousBoot: Type.Optional(
          choice(["delete", "report"], {
            description: "Records of an earlier boot whose pod is gone too, five minutes later.",
            default: "delete",
          }),
        ),
        uncertain: Type.Optional(
          choice(["delete", "report"], {
            description: "Records of this boot whose namespace and pod are gone, five minutes later.",
            default: "report",
          }),
        ),
      },
      {
        description:
          "What is done with records that no live sandbox stands behind; `multusctl leaks` lists them. Without `manifestDir` nobody knows whether a pod is gone, and all are only reported.",
      },
    ),
  ),
  statusPolicy: Type.Optional(
    choice(["retry", "require", "skip"], {
      description:
        "A network-status that cannot be written: try again in the background, fail the ADD, or do without.",
      default: "retry",
      inactive: "without a cluster the status is kept in the record",
    }),
  ),
  nodeReadinessTaint: Type.Optional(
    checked<string>("string", taintProblem, {
      description: "Taint, `key[=value][:Effect]`, that is taken from the node when the daemon is ready.",
      defaultText: "none",
      inactive: "no cluster client yet",
    }),
  ),
  criSocket: Type.Optional(
    checked<string>("string", criSocketProblem, {
      description: "The runtime's socket as a second source for leftovers: `auto`, `off` or a path.",
      default: "auto",
      inactive: "not built yet",
    }),
  ),
  limits: Type.Optional(Type.Object(limitFields, { description: "Bounds." })),
  kubernetes: Type.Optional(
    checked<"auto" | "off" | { readonly kubeconfig: string }>("string or object", kubernetesProblem, {
      description:
        'Where pods and definitions come from: `auto` (the cluster that the daemon runs in), `off`, or `{"kubeconfig": path}`. This version has no client for the API: without `manifestDir` it refuses to start in a cluster unless this is `off`.',
      default: "auto",
    }),
  ),
  manifestDir: Type.Optional(
    absolutePath({
      description:
        "Without a cluster: directory of Pod, Namespace and NetworkAttachmentDefinition manifests (YAML or JSON), watched.",
      defaultText: "none",
    }),
  ),
  metricsAddress: Type.Optional(
    checked<string>("string", addressProblem, {
      description:
        "TCP address for `/metrics`, such as `127.0.0.1:9095` or `:9095`. A port that is taken is tried again in the background.",
      defaultText: "none",
    }),
  ),
  shutdownGrace: Type.Optional(
    duration({ description: "Time for running requests after SIGTERM.", default: "25s" }, 1),
  ),
  keepConfigOnExit: Type.Optional(
    flag({
      description: "Leave the generated CNI configuration where it is when the daemon stops.",
      default: true,
      inactive: "multusd does not write the runtime's CNI configuration yet",
    }),
  ),
  shim: Type.Optional(
    Type.Object(shimFields, {
      description: "Handed to the shim by the generated CNI configuration.",
      inactive: "multusd does not write the runtime's CNI configuration yet: put the object there",
    }),
  ),
};

function addressProblem(value: unknown): string | undefined {
  const fits = typeof value === "string" && parseListenAddress(value) !== undefined;
  return fits ? undefined : 'must be an address such as "127.0.0.1:9095", "[::1]:9095" or ":9095"';
}

function criSocketProblem(value: unknown): string | undefined {
  if (value === "auto" || value === "off" || pathProblem(value) === undefined) return undefined;
  return 'must be "auto", "off" or an absolute path';
}

function kubernetesProblem(value: unknown): string | undefined {
  if (value === "auto" || value === "off") return undefined;
  const form = 'must be "auto", "off" or {"kubeconfig": absolute path}';
  if (typeof value !== "object" || value === null || Array.isArray(value)) return form;
  const fits = "kubeconfig" in value && pathProblem(value.kubeconfig) === undefined;
  return fits && Object.keys(value).length === 1 ? undefined : form;
}

function taintProblem(value: unknown): string | undefined {
  const form = /^[A-Za-z0-9][\w./-]{0,316}(?:=[\w.-]{0,63})?(?::(?:NoSchedule|NoExecute|PreferNoSchedule))?$/;
  return typeof value === "string" && form.test(value) ? undefined : "must be key[=value][:Effect]";
}
