import type { Log } from "../../../src/attachments/instruments.ts";
import type {
  CniInvocation,
  CniOperations,
  InterfaceAttributes,
} from "../../../src/attachments/invocation.ts";
import type { BootClock } from "../../../src/attachments/ports.ts";
import type {
  AttachmentFilter,
  AttachmentView,
  DeletionView,
  LeakView,
  OperatorQueries,
  ReadinessGap,
} from "../../../src/attachments/views.ts";
import type { RequestCount, ServerParts } from "../../../src/server/server-parts.ts";
import type { ShimFacts } from "../../../src/server/shim-facts.ts";

export const bootId = "5f3c1f63-7a2c-4c4f-8d5f-2d6c1f7e9a10";

/** A clock that stands at `nowNs` until a test moves it. */
export class FakeClock implements BootClock {
  readonly bootId = bootId;
  now = 5_000_000_000_000n;

  nowNs(): bigint {
    return this.now;
  }

  nowText(): string {
    return "2026-08-20T12:00:00Z";
  }
}

export interface LoggedLine {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

class FakeLog implements Log {
  readonly lines: LoggedLine[] = [];

  debug(fields: object, message: string): void {
    this.lines.push({ level: "debug", fields, message });
  }

  info(fields: object, message: string): void {
    this.lines.push({ level: "info", fields, message });
  }

  warn(fields: object, message: string): void {
    this.lines.push({ level: "warn", fields, message });
  }

  error(fields: object, message: string): void {
    this.lines.push({ level: "error", fields, message });
  }

  child(): Log {
    return this;
  }
}

type Behaviour = (invocation: CniInvocation, signal: AbortSignal) => Promise<string>;

/** Does what `behaviour` says and remembers each call. */
class FakeCni implements CniOperations {
  readonly calls: { readonly operation: string; readonly invocation: CniInvocation }[] = [];
  readonly attributes: InterfaceAttributes[] = [];
  behaviour: Behaviour = async () => '{"cniVersion":"1.0.0","ips":[{"address":"10.1.0.7/16"}]}';

  async add(invocation: CniInvocation, signal: AbortSignal): Promise<string> {
    return await this.#call("add", invocation, signal);
  }

  async delete(invocation: CniInvocation, signal: AbortSignal): Promise<void> {
    await this.#call("delete", invocation, signal);
  }

  async check(invocation: CniInvocation, signal: AbortSignal): Promise<void> {
    await this.#call("check", invocation, signal);
  }

  async status(invocation: CniInvocation, signal: AbortSignal): Promise<void> {
    await this.#call("status", invocation, signal);
  }

  async collectGarbage(invocation: CniInvocation, signal: AbortSignal): Promise<void> {
    await this.#call("collectGarbage", invocation, signal);
  }

  async attachDelegate(
    invocation: CniInvocation,
    attributes: InterfaceAttributes,
    signal: AbortSignal,
  ): Promise<string> {
    this.attributes.push(attributes);
    return await this.#call("attachDelegate", invocation, signal);
  }

  async detachDelegate(invocation: CniInvocation, signal: AbortSignal): Promise<void> {
    await this.#call("detachDelegate", invocation, signal);
  }

  async statusOfDelegate(invocation: CniInvocation, signal: AbortSignal): Promise<void> {
    await this.#call("statusOfDelegate", invocation, signal);
  }

  get last(): CniInvocation {
    const call = this.calls.at(-1);
    if (call === undefined) throw new Error("nothing was called");
    return call.invocation;
  }

  async #call(operation: string, invocation: CniInvocation, signal: AbortSignal): Promise<string> {
    this.calls.push({ operation, invocation });
    return await this.behaviour(invocation, signal);
  }
}

export const anAttachment: AttachmentView = {
  sandbox: "c1",
  pod: { namespace: "default", name: "web-0", uid: "u1" },
  network: "default/storage",
  interface: "net1",
  plugins: ["macvlan", "tuning"],
  ips: ["192.0.2.7/24"],
  mac: "02:00:00:00:00:01",
  deviceId: "",
  policy: { mode: "deferred", source: "default" },
  state: "added",
  since: "2026-08-20T11:00:00Z",
};

export const aDeletion: DeletionView = {
  id: "7c4a8d09ca3762af61e59520943dc26494f8941b",
  state: "pending",
  sandbox: "c1",
  pod: null,
  network: "default/storage",
  interface: "net1",
  plugins: ["macvlan"],
  policy: { mode: "deferred", source: "definition" },
  attempts: 3,
  lastError: { plugin: "macvlan", code: 42, msg: "switch not reachable" },
  nextAttempt: "2026-08-20T12:01:00Z",
  created: "2026-08-20T11:56:40Z",
  age: "3m20s",
  reason: "plugin failed",
  next: "it is tried again by itself",
};

export const aLeak: LeakView = {
  sandbox: "c9",
  pod: { namespace: "default", name: "web-9", uid: "u9" },
  interface: "eth0",
  networks: ["primary-net", "default/storage"],
  kind: "previous-boot",
  action: "delete",
  since: "2026-08-20T11:00:00Z",
  why: "it was attached in an earlier boot",
};

class FakeOperator implements OperatorQueries {
  attachments: readonly AttachmentView[] = [anAttachment];
  leaks: readonly LeakView[] = [];
  deletions: readonly DeletionView[] = [aDeletion];
  readonly filters: AttachmentFilter[] = [];
  /** Is owed where it is listed, and settled by the time that somebody acts on it. */
  settledMeanwhile: string | undefined;
  readonly abandoned: { readonly id: string; readonly reason: string }[] = [];

  async listAttachments(filter: AttachmentFilter): Promise<readonly AttachmentView[]> {
    this.filters.push(filter);
    return this.attachments;
  }

  async listDeletions(): Promise<readonly DeletionView[]> {
    return this.deletions;
  }

  async findDeletion(id: string): Promise<DeletionView | undefined> {
    return this.deletions.find((deletion) => deletion.id === id);
  }

  async retryDeletion(id: string) {
    const deletion = await this.findDeletion(id);
    return deletion && { outcome: "failed" as const, deletion };
  }

  async abandonDeletion(id: string, reason: string): Promise<DeletionView | undefined> {
    if (id === this.settledMeanwhile) return undefined;
    this.abandoned.push({ id, reason });
    return await this.findDeletion(id);
  }

  async listLeaks() {
    return this.leaks;
  }

  async explain(pod: { readonly namespace: string; readonly name: string }) {
    return {
      pod: { ...pod, uid: "u1" },
      attachments: this.attachments,
      deletions: this.deletions,
      steps: [],
      next: ["wait for the next attempt"],
    };
  }
}

/** Everything that `createServer` needs, in memory. */
export class FakeParts implements ServerParts {
  readonly cni = new FakeCni();
  readonly operator = new FakeOperator();
  readonly clock = new FakeClock();
  readonly log = new FakeLog();
  readonly counts: RequestCount[] = [];
  readonly gaps: ReadinessGap[] = [];
  readonly version = "1.2.3";
  readonly readiness = { missing: () => this.gaps };
  useCases = Promise.resolve({ cni: this.cni, operator: this.operator });
  readonly renderMetrics = async () => ({ contentType: "text/plain; version=0.0.4", text: "multus_up 1\n" });
  readonly countRequest = (count: RequestCount) => {
    this.counts.push(count);
  };
  readonly shims: ShimFacts[] = [];
  readonly noteShim = (facts: ShimFacts) => {
    this.shims.push(facts);
  };
}

export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

export const configuration = '{"cniVersion":"1.0.0","name":"multus-cni-network","type":"multus-shim"}';

/** Body of `POST /cni`, with `env` over a whole environment. */
export function cniBody(env: Readonly<Record<string, unknown>>, config = configuration): object {
  return {
    env: {
      CNI_CONTAINERID: "c1",
      CNI_NETNS: "/run/netns/x",
      CNI_IFNAME: "eth0",
      CNI_PATH: "/opt/cni/bin",
      CNI_ARGS: "K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-0",
      ...env,
    },
    config: base64(config),
  };
}
