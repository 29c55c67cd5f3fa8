import { Type } from "typebox";
import { choice, count, duration, flag } from "./schema-fields.ts";

/** Limits of requests and of what they run. */
export const timeoutFields = {
  add: Type.Optional(duration({ description: "A whole ADD.", default: "2m" })),
  del: Type.Optional(
    duration({ description: "A whole DEL; what is not done by then is settled by policy.", default: "40s" }),
  ),
  check: Type.Optional(duration({ description: "A whole CHECK.", default: "30s" })),
  status: Type.Optional(duration({ description: "A whole STATUS.", default: "3s" })),
  gc: Type.Optional(duration({ description: "A whole GC.", default: "2m" })),
  plugin: Type.Optional(
    duration({
      description: "One run of one plugin; after it the plugin's whole process group is ended.",
      default: "60s",
    }),
  ),
  apiServer: Type.Optional(
    duration({
      description: "One request to the API server.",
      default: "5s",
      inactive: "no cluster client yet",
    }),
  ),
};

function ofOneNetwork(what: string, inactive?: string) {
  const facts = { description: `${what} of this network.`, defaultText: "the general limit" };
  return Type.Optional(duration(inactive === undefined ? facts : { ...facts, inactive }));
}

const onlyPlugin = "only `plugin` counts for a single network";
const networkTimeoutFields = {
  add: ofOneNetwork("ADD", onlyPlugin),
  del: ofOneNetwork("DEL", onlyPlugin),
  check: ofOneNetwork("CHECK", onlyPlugin),
  status: ofOneNetwork("STATUS", onlyPlugin),
  gc: ofOneNetwork("GC", onlyPlugin),
  plugin: ofOneNetwork("One run of one plugin"),
};

/** In words for the reference. */
export const policyForm =
  '`strict`, `lenient`, `deferred`, or an object `{"mode", "firstAttempt", "escalate": {"attempts", "age"}, "retry": {"initial", "max", "giveUpAfter"}, "ignore"}`';

/** Only its being a value is checked here: `parseErrorPolicy` names what is wrong inside. */
export function delErrorPolicy(description: string, defaultText: string) {
  return Type.Unsafe<unknown>({ description, defaultText, form: "string or object" });
}

/** One entry of `networks`. */
export const networkSettings = Type.Object({
  delErrorPolicy: Type.Optional(
    delErrorPolicy(
      "Goes before every other place that says something about this network's failed DEL, also for records that exist.",
      "none",
    ),
  ),
  timeouts: Type.Optional(
    Type.Object(networkTimeoutFields, { description: "Replaces the general limits for this network." }),
  ),
  concurrency: Type.Optional(
    count(1, 10_000, {
      description:
        "Tries at owed deletions of this network at the same time; live requests are not counted yet.",
      defaultText: "4",
    }),
  ),
  onOwedResource: Type.Optional(
    choice(["proceed", "wait", "refuse"], {
      description: "What an ADD does that wants a device or static address whose DEL is owed.",
      defaultText: "`wait` for devices, `proceed` for addresses",
    }),
  ),
  pinNamespaces: Type.Optional(
    choice(["devices", "all", "none"], {
      description: "Whose namespaces are held open while a DEL is owed.",
      default: "devices",
    }),
  ),
  parallel: Type.Optional(
    flag({
      description: "This network may be attached beside others of the pod.",
      default: false,
      inactive: "not built yet",
    }),
  ),
});
