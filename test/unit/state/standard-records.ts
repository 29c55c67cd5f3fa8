import type { AttachmentRecord, DoneMark, SandboxRecord } from "../../../src/attachments/sandbox-record.ts";
import type { DeletionRecord } from "../../../src/deletions/deletion-record.ts";

export const bootId = "0f0e0d0c-0b0a-0908-0706-050403020100";

/** Every field is set, so that one that a store loses is missed. */
export const fullAttachment: AttachmentRecord = {
  network: "default/macvlan",
  listName: "macvlan-net",
  interface: "net1",
  config:
    '{"cniVersion":"1.0.0","name":"macvlan-net","plugins":[{"type":"macvlan","big":12345678901234567890}]}',
  args: [
    ["IgnoreUnknown", "1"],
    ["K8S_POD_NAME", "web"],
  ],
  capabilityArgs: { portMappings: '[{"hostPort":80}]' },
  searchPath: ["/opt/cni/bin", "/usr/lib/cni"],
  root: "/hostroot",
  deviceId: "0000:03:00.1",
  result: '{"cniVersion":"1.0.0","ips":[]}',
  policy: {
    policy: {
      mode: "strict",
      firstAttempt: "inline",
      escalate: { attempts: 3, ageMs: 60_000 },
      retry: { initialMs: 500, maxMs: 60_000, giveUpAfterMs: 3_600_000 },
      ignore: [{ code: 3 }, { message: "already .*" }, "gone"],
    },
    source: "definition",
  },
  pluginPolicies: {
    "1": {
      policy: {
        mode: "lenient",
        firstAttempt: "inline",
        escalate: { attempts: 20, ageMs: 600_000 },
        retry: { initialMs: 1000, maxMs: 300_000, giveUpAfterMs: 604_800_000 },
        ignore: [],
      },
      source: "plugin-configuration",
    },
  },
  state: "added",
  owed: [1, 0],
  lastError: { plugin: "macvlan", code: 42, msg: "busy" },
  since: "2026-01-02T03:04:05Z",
};

export function sandboxRecord(containerId = "c1", changes: Partial<SandboxRecord> = {}): SandboxRecord {
  return {
    containerId,
    ifName: "eth0",
    state: "added",
    generation: { bootId, startNs: "9007199254740993" },
    pod: { namespace: "default", name: "web", uid: "6d1f" },
    netns: "/run/netns/x",
    netnsIdentity: { bootId, cookie: "4711", device: "4", inode: "4026532281" },
    created: "2026-01-02T03:04:05Z",
    attachments: [fullAttachment],
    networkStatus: [
      {
        name: "default/macvlan",
        interface: "net1",
        ips: ["10.1.1.2"],
        mac: "02:00:00:00:00:01",
        mtu: 1500,
        default: true,
        dns: { nameservers: ["10.0.0.1"], domain: "x", search: ["y"], options: ["z"] },
        gateway: ["10.1.1.1"],
      },
    ],
    refusals: { count: 2, age: { elapsedMs: 1500, bootId, atNs: "77" } },
    ...changes,
  };
}

export function doneMark(containerId = "c1", changes: Partial<DoneMark> = {}): DoneMark {
  return {
    containerId,
    ifName: "eth0",
    state: "done",
    generation: { bootId, startNs: "9007199254740993" },
    age: { elapsedMs: 0, bootId, atNs: "1000" },
    ...changes,
  };
}

export function deletionRecord(id = "d1", changes: Partial<DeletionRecord> = {}): DeletionRecord {
  return {
    id,
    state: "pending",
    sandbox: "c1",
    ifName: "eth0",
    generation: { bootId, startNs: "9007199254740993" },
    pod: { namespace: "default", name: "web", uid: "6d1f" },
    netns: "/run/netns/x",
    netnsIdentity: { bootId, device: "4", inode: "4026532281" },
    attachment: fullAttachment,
    attemptCount: 1,
    attempts: [
      {
        at: "2026-01-02T03:04:05Z",
        outcome: "failed",
        durationMs: 12.5,
        error: { plugin: "macvlan", code: 42, msg: "busy" },
      },
    ],
    lastError: { plugin: "macvlan", code: 42, msg: "busy" },
    created: "2026-01-02T03:04:05Z",
    age: { elapsedMs: 1500, bootId, atNs: "77" },
    reason: "the plugin failed",
    ...changes,
  };
}
