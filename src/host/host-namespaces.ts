import { Failure } from "../attachments/failure.ts";
import type { Link, Namespaces } from "../attachments/ports.ts";
import type { NamespaceIdentity } from "../attachments/sandbox.ts";
import { type HostAnswer, numberField, objectsField, textField } from "./host-answer.ts";
import { HostLostError } from "./host-errors.ts";
import type { HostSupervisor } from "./host-supervisor.ts";

/** A question takes less than a millisecond; this long and the host hangs, or none comes up. */
const answerMs = 5_000;

/**
 * Namespaces as `multus-host` sees them. Both reject with a `Failure`: `not-ready` while there is no host, `internal`
 * if the kernel refuses to look.
 */
export function hostNamespaces(host: HostSupervisor, bootId: string): Namespaces {
  return {
    identify: async (path) => {
      const answer = await ask(host, { op: "identity", path });
      return answer.fields["found"] === true ? readIdentity(answer, bootId) : undefined;
    },
    listLinks: async (path) => {
      const answer = await ask(host, { op: "links", path });
      return answer.fields["found"] === true ? objectsField(answer.fields, "links").map(readLink) : [];
    },
    pin: async (path, key, cookie) => {
      const answer = await ask(host, { op: "pin", path, key, cookie });
      return answer.fields["found"] === true ? textField(answer.fields, "path") : undefined;
    },
    unpin: async (key) => {
      await ask(host, { op: "unpin", path: "", key });
    },
  };
}

interface HostQuestion {
  readonly op: string;
  readonly path: string;
  readonly key?: string;
  readonly cookie?: string;
}

/** Looking changes nothing and pinning twice is pinning once, so a host that is lost meanwhile is no reason to fail: its successor is asked once. */
async function ask(host: HostSupervisor, request: HostQuestion): Promise<HostAnswer> {
  try {
    return await askOnce(host, request).catch(async (error: unknown) => {
      if (!(error instanceof HostLostError)) throw error;
      return await askOnce(host, request);
    });
  } catch (cause) {
    const isAbsent = cause instanceof HostLostError || isTimeout(cause);
    const [failureClass, what] = isAbsent
      ? (["not-ready", "multus-host does not run"] as const)
      : (["internal", "multus-host cannot look into it"] as const);
    throw new Failure(failureClass, `network namespace ${request.path}: ${what}`, { cause });
  }
}

async function askOnce(host: HostSupervisor, request: { readonly op: string }): Promise<HostAnswer> {
  const connection = await host.connection(AbortSignal.timeout(answerMs));
  return await connection.ask(request, answerMs);
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}

function readIdentity({ fields }: HostAnswer, bootId: string): NamespaceIdentity {
  const identity = { bootId, device: textField(fields, "device"), inode: textField(fields, "inode") };
  return fields["cookie"] === undefined ? identity : { ...identity, cookie: textField(fields, "cookie") };
}

function readLink(fields: Readonly<Record<string, unknown>>): Link {
  return {
    name: textField(fields, "name"),
    index: numberField(fields, "index"),
    mac: textField(fields, "mac"),
    mtu: numberField(fields, "mtu"),
    up: fields["up"] === true,
  };
}
