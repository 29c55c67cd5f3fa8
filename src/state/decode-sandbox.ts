import type { Generation, NamespaceIdentity, PodReference } from "../attachments/sandbox.ts";
import type {
  Age,
  AttachmentRecord,
  DoneMark,
  PluginErrorFacts,
  SandboxEntry,
  SandboxRecord,
} from "../attachments/sandbox-record.ts";
import {
  amount,
  type Decode,
  decimal,
  Fields,
  integer,
  listOf,
  mapOf,
  oneOf,
  text,
  textPair,
} from "./decode.ts";
import { networkStatus } from "./decode-network-status.ts";
import { recordedPolicy } from "./decode-policy.ts";

/*
 * What a DEL or one of its fences needs must have its shape, or the record is unreadable; what only people read is
 * left out where it has another one.
 */

export const sandboxEntry: Decode<SandboxEntry> = (value, at) => {
  const state = new Fields(value, at).need("state", oneOf("adding", "added", "deleting", "done"));
  return state === "done" ? doneMark(value, at) : sandboxRecord(value, at);
};

const doneMark: Decode<DoneMark> = (value, at) => {
  const fields = new Fields(value, at);
  return {
    containerId: fields.need("containerId", text),
    ifName: fields.need("ifName", text),
    state: "done",
    generation: fields.need("generation", generation),
    age: fields.need("age", age),
  };
};

const sandboxRecord: Decode<SandboxRecord> = (value, at) => {
  const fields = new Fields(value, at);
  return {
    containerId: fields.need("containerId", text),
    ifName: fields.need("ifName", text),
    state: fields.need("state", lifeState),
    generation: fields.need("generation", generation),
    ...fields.may("pod", podReference),
    netns: fields.need("netns", text),
    ...fields.may("netnsIdentity", namespaceIdentity),
    created: fields.try("created", text).created ?? "",
    attachments: fields.need("attachments", listOf(attachmentRecord)),
    ...fields.try("networkStatus", listOf(networkStatus)),
    ...fields.try("refusals", refusals),
  };
};

const lifeState = oneOf("adding", "added", "deleting");

export const generation: Decode<Generation> = (value, at) => {
  const fields = new Fields(value, at);
  return { bootId: fields.need("bootId", text), startNs: fields.need("startNs", decimal) };
};

export const podReference: Decode<PodReference> = (value, at) => {
  const fields = new Fields(value, at);
  return {
    namespace: fields.need("namespace", text),
    name: fields.need("name", text),
    ...fields.may("uid", text),
  };
};

export const namespaceIdentity: Decode<NamespaceIdentity> = (value, at) => {
  const fields = new Fields(value, at);
  return {
    bootId: fields.need("bootId", text),
    ...fields.may("cookie", text),
    device: fields.need("device", text),
    inode: fields.need("inode", text),
  };
};

export const age: Decode<Age> = (value, at) => {
  const fields = new Fields(value, at);
  return {
    elapsedMs: fields.need("elapsedMs", amount),
    bootId: fields.need("bootId", text),
    atNs: fields.need("atNs", decimal),
  };
};

const refusals: Decode<NonNullable<SandboxRecord["refusals"]>> = (value, at) => {
  const fields = new Fields(value, at);
  return { count: fields.need("count", amount), age: fields.need("age", age) };
};

export const pluginErrorFacts: Decode<PluginErrorFacts> = (value, at) => {
  const fields = new Fields(value, at);
  return {
    plugin: fields.need("plugin", text),
    code: fields.need("code", integer),
    msg: fields.need("msg", text),
  };
};

export const attachmentRecord: Decode<AttachmentRecord> = (value, at) => {
  const fields = new Fields(value, at);
  return {
    network: fields.need("network", text),
    listName: fields.need("listName", text),
    interface: fields.need("interface", text),
    config: fields.need("config", text),
    args: fields.need("args", listOf(textPair)),
    capabilityArgs: fields.need("capabilityArgs", mapOf(text)),
    searchPath: fields.need("searchPath", listOf(text)),
    ...fields.may("root", text),
    ...fields.may("deviceId", text),
    ...fields.may("result", text),
    policy: fields.try("policy", recordedPolicy).policy ?? recordedPolicy(undefined, at),
    ...fields.try("pluginPolicies", mapOf(recordedPolicy)),
    state: fields.need("state", lifeState),
    // A wrong one left out means "all of them": a plugin's DEL may run twice, but must not be left out.
    ...fields.try("owed", listOf(integer)),
    ...fields.try("lastError", pluginErrorFacts),
    since: fields.try("since", text).since ?? "",
  };
};
