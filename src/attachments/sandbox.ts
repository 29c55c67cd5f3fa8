/** Names a sandbox's networks: what one CNI ADD made and one CNI DEL takes down. */
export interface SandboxKey {
  /** CNI_CONTAINERID, `^[a-zA-Z0-9][a-zA-Z0-9_.\-]*$`. */
  readonly containerId: string;
  /** CNI_IFNAME of the primary network. */
  readonly ifName: string;
}

export function describeSandbox(key: SandboxKey): string {
  return `${key.containerId}/${key.ifName}`;
}

/** The pod that CNI_ARGS names (`K8S_POD_*`). */
export interface PodReference {
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
}

/**
 * When an ADD began: the shim's start. Orders requests, spool entries and records of one container ID;
 * two boots cannot be compared, an entry of another boot than the present one is older.
 */
export interface Generation {
  readonly bootId: string;
  /** CLOCK_MONOTONIC in nanoseconds, decimal (beyond 2^53 after 104 days). */
  readonly startNs: string;
}

/** True if `left` began before `right`; `bootId` is the present boot. */
export function isOlder(left: Generation, right: Generation, bootId: string): boolean {
  if (left.bootId === right.bootId) return BigInt(left.startNs) < BigInt(right.startNs);
  return left.bootId !== bootId && right.bootId === bootId;
}

/** What makes a network namespace the same one: its path may be given to another, its inode number too. */
export interface NamespaceIdentity {
  readonly bootId: string;
  /** SO_NETNS_COOKIE, decimal; absent on kernels before 5.14. */
  readonly cookie?: string;
  readonly device: string;
  readonly inode: string;
}

export function isSameNamespace(left: NamespaceIdentity, right: NamespaceIdentity): boolean {
  if (left.bootId !== right.bootId) return false;
  if (left.cookie !== undefined && right.cookie !== undefined) return left.cookie === right.cookie;
  return left.device === right.device && left.inode === right.inode;
}
