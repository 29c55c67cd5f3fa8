import type { Attempt, DeletionRecord } from "../deletions/deletion-record.ts";
import { amount, type Decode, Fields, listOf, mapOf, oneOf, text } from "./decode.ts";
import {
  age,
  attachmentRecord,
  generation,
  namespaceIdentity,
  pluginErrorFacts,
  podReference,
} from "./decode-sandbox.ts";

/** An owed deletion; what only people read is left out where it has another shape. */
export const deletionRecord: Decode<DeletionRecord> = (value, at) => {
  const fields = new Fields(value, at);
  return {
    id: fields.need("id", text),
    state: fields.need("state", oneOf("pending", "dead")),
    sandbox: fields.need("sandbox", text),
    ifName: fields.need("ifName", text),
    generation: fields.need("generation", generation),
    ...fields.may("pod", podReference),
    netns: fields.need("netns", text),
    ...fields.may("netnsIdentity", namespaceIdentity),
    attachment: fields.need("attachment", attachmentRecord),
    attemptCount: fields.need("attemptCount", amount),
    attempts: fields.try("attempts", listOf(attempt)).attempts ?? [],
    ...fields.try("lastError", pluginErrorFacts),
    created: fields.try("created", text).created ?? "",
    age: fields.need("age", age),
    reason: fields.try("reason", text).reason ?? "",
    ...fields.try("death", oneOf("age", "fenced", "crashes")),
    ...fields.try("lifeFromMs", amount),
    ...fields.may("spooled", spooledRequest),
  };
};

const spooledRequest: Decode<NonNullable<DeletionRecord["spooled"]>> = (value, at) => {
  const fields = new Fields(value, at);
  return {
    name: fields.need("name", text),
    env: fields.need("env", mapOf(text)),
    config: fields.need("config", text),
  };
};

const attempt: Decode<Attempt> = (value, at) => {
  const fields = new Fields(value, at);
  return {
    at: fields.need("at", text),
    outcome: fields.need("outcome", oneOf("failed", "fenced", "interrupted")),
    durationMs: fields.need("durationMs", amount),
    ...fields.may("error", pluginErrorFacts),
  };
};
