import type { ErrorPolicy, IgnoreRule, ResolvedPolicy } from "../attachments/error-policy.ts";
import { defaultErrorPolicy } from "../attachments/parse-error-policy.ts";
import { amount, type Decode, Fields, integer, listOf, oneOf, ShapeError, text } from "./decode.ts";

/**
 * A policy as it stands in a record. One that cannot be read never makes the record unreadable: what it is about must
 * be deleted all the same, so it becomes `deferred`, which loses nothing and blocks nobody.
 */
export const recordedPolicy: Decode<ResolvedPolicy> = (value, at) => {
  try {
    const fields = new Fields(value, at);
    return { policy: fields.need("policy", policy), source: fields.need("source", source) };
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    return { policy: defaultErrorPolicy, source: "unreadable-record" };
  }
};

const source = oneOf(
  "daemon-networks",
  "definition",
  "network-configuration",
  "plugin-configuration",
  "namespace",
  "multus-configuration",
  "default",
  "unreadable-record",
);

const policy: Decode<ErrorPolicy> = (value, at) => {
  const fields = new Fields(value, at);
  return {
    mode: fields.need("mode", oneOf("strict", "lenient", "deferred")),
    firstAttempt: fields.need("firstAttempt", oneOf("inline", "none")),
    escalate: fields.need("escalate", escalate),
    retry: fields.need("retry", retry),
    ignore: fields.need("ignore", listOf(ignoreRule)),
  };
};

const escalate: Decode<ErrorPolicy["escalate"]> = (value, at) => {
  const fields = new Fields(value, at);
  return { attempts: fields.need("attempts", amount), ageMs: fields.need("ageMs", amount) };
};

const retry: Decode<ErrorPolicy["retry"]> = (value, at) => {
  const fields = new Fields(value, at);
  return {
    initialMs: fields.need("initialMs", amount),
    maxMs: fields.need("maxMs", amount),
    giveUpAfterMs: fields.need("giveUpAfterMs", amount),
  };
};

const ignoreRule: Decode<IgnoreRule> = (value, at) => {
  if (value === "gone") return value;
  const fields = new Fields(value, at);
  const { code } = fields.may("code", integer);
  return code === undefined ? { message: fields.need("message", text) } : { code };
};
