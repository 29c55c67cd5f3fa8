import type { FailureClass } from "../attachments/failure.ts";

/** How one class of failure meets the caller. */
export interface FailureRow {
  /** HTTP status. */
  readonly status: number;
  /** CNI code where the failure brings none of its own. */
  readonly code: number;
  /** CNI code in answer to STATUS, where the specification wants another one (SPEC.md "STATUS"). */
  readonly codeForStatus?: number;
  /** Which codes may stand there, for people. */
  readonly codes: string;
  readonly when: string;
  /** What the one who reads the pod's event can do. */
  readonly nextStep: string;
  /** `retry-after` where the failure names no time; absent: the header is not sent. */
  readonly retryAfterSeconds?: number;
}

/** The failure contract: total, so that a new class without a row does not compile. */
export const failureTable: Readonly<Record<FailureClass, FailureRow>> = {
  "malformed-request": {
    status: 400,
    code: 6,
    codes: "4 environment, 6 JSON, 7 name, 1 version",
    when: "the request cannot be understood",
    nextStep: "look at what calls the socket: a runtime and shim that fit the daemon do not send this",
  },
  "invalid-configuration": {
    status: 422,
    code: 7,
    codes: "7",
    when: "a network configuration, an annotation or what the daemon adds to it is wrong",
    nextStep: "correct the key that the message names; `multusctl explain` shows where it came from",
  },
  "network-forbidden": {
    status: 403,
    code: 7,
    codes: "7",
    when: "namespace isolation keeps the pod from a network of another namespace",
    nextStep: "use a definition of the pod's own namespace, or have the operator allow the other one",
  },
  "network-missing": {
    status: 404,
    code: 7,
    codes: "7",
    when: "there is no NetworkAttachmentDefinition or configuration file of that name",
    nextStep: "create it or correct the name; the runtime tries the pod again by itself",
  },
  "pod-mismatch": {
    status: 409,
    code: 11,
    codes: "11",
    when: "the pod of that name is another one than the runtime starts (its UID differs)",
    nextStep: "none: the runtime tries again, or gives the old pod up",
  },
  "device-busy": {
    status: 409,
    code: 11,
    codes: "11",
    when: "an earlier sandbox still owes the deletion of this device or address",
    nextStep: "see `multusctl deletions list`; retry or abandon the deletion that the message names",
    retryAfterSeconds: 5,
  },
  "too-busy": {
    status: 429,
    code: 11,
    codes: "11",
    when: "the queue is full, or the wait would outlast the deadline",
    nextStep: "none: the runtime tries again; if it lasts, see which plugin is slow on `/metrics`",
    retryAfterSeconds: 2,
  },
  "delegate-failed": {
    status: 502,
    code: 999,
    codes: "the plugin's own, else 999",
    when: "a plugin answered with an error",
    nextStep: "the message and details are the plugin's: look at that plugin and its network",
  },
  "not-ready": {
    status: 503,
    code: 11,
    codeForStatus: 50,
    codes: "11; 50 or 51 for STATUS",
    when: "the primary network, a source of pods, start-up or shutdown is in the way",
    nextStep: "see `multusctl status` or `/readyz` for what is missing",
    retryAfterSeconds: 1,
  },
  "deadline-exceeded": {
    status: 504,
    code: 11,
    codes: "11",
    when: "a plugin, an API or the whole request took too long, or its caller has gone",
    nextStep: "the message says which and how long; limits are `timeouts` in the daemon's configuration",
  },
  "storage-failed": {
    status: 507,
    code: 5,
    codes: "5",
    when: "the state directory cannot be written: an ADD is refused before anything is attached",
    nextStep: "make room in, or repair, the file system of the state directory",
  },
  internal: {
    status: 500,
    code: 999,
    codes: "999",
    when: "a bug of multusd",
    nextStep: "look for the request or container ID in the daemon's log and report what it says",
  },
};
