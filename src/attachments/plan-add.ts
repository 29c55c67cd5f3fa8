import { Deadline } from "../foundation/deadline.ts";
import { buildDelegates } from "./build-delegates.ts";
import { chooseNetworks, type NetworkSources } from "./choose-networks.ts";
import type { Delegate } from "./delegate.ts";
import { Failure } from "./failure.ts";
import { findPodOf } from "./find-pod.ts";
import type { Log } from "./instruments.ts";
import type { CniInvocation } from "./invocation.ts";
import { readMultusConfiguration } from "./multus-configuration.ts";
import type { BootClock, Link, Namespaces, Pod, PodSource } from "./ports.ts";
import { waitForReadinessFile } from "./readiness-file.ts";
import type { NamespaceIdentity, PodReference } from "./sandbox.ts";
import { intentRecord } from "./sandbox-intent.ts";
import type { SandboxRecord } from "./sandbox-record.ts";
import type { DomainSettings } from "./settings.ts";

export interface PlanParts {
  readonly pods: PodSource;
  readonly sources: NetworkSources;
  readonly namespaces: Namespaces;
  readonly log: Log;
}

/** What one ADD works with, read once. */
export interface AddPlan {
  readonly invocation: CniInvocation;
  readonly settings: DomainSettings;
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
  readonly callerCniVersion: string;
  readonly pod: Pod | undefined;
  readonly podReference: PodReference | undefined;
  readonly delegates: readonly Delegate[];
  readonly namespace: { readonly identity: NamespaceIdentity | undefined; readonly links: readonly Link[] };
}

/**
 * Reads everything that an ADD goes by: configuration, pod, networks, namespace. Nothing is done yet.
 * @throws {Failure}
 */
export async function planAdd(
  parts: PlanParts,
  invocation: CniInvocation,
  settings: DomainSettings,
  deadline: Deadline,
  signal: AbortSignal,
): Promise<AddPlan> {
  // Asked first: the native arm answers while the configuration is read.
  const namespace = lookInto(parts.namespaces, invocation.netns);
  namespace.catch(() => undefined);
  const configuration = readMultusConfiguration(invocation.config, settings.overlay);
  const { readinessFile } = configuration;
  if (readinessFile !== "") await waitForReadinessFile(readinessFile, deadline, signal);
  const { reference, pod } = await findPodOf(invocation, parts.pods, parts.log, signal);
  const networks = await chooseNetworks(parts.sources, { configuration, settings, pod }, signal);
  const delegates = buildDelegates(networks, invocation, configuration, settings);
  const { callerCniVersion } = configuration;
  return {
    invocation,
    settings,
    deadline,
    signal,
    callerCniVersion,
    pod,
    podReference: reference,
    delegates,
    namespace: await namespace,
  };
}

async function lookInto(namespaces: Namespaces, netns: string): Promise<AddPlan["namespace"]> {
  const [identity, links] = await Promise.all([namespaces.identify(netns), namespaces.listLinks(netns)]);
  return { identity, links };
}

/**
 * What is made durable before the first plugin runs.
 * @throws {Failure} `invalid-configuration` if an interface is there already
 */
export function intentOf(plan: AddPlan, clock: BootClock): SandboxRecord {
  const { invocation, delegates, podReference, namespace } = plan;
  for (const delegate of delegates) {
    if (namespace.links.every((link) => link.name !== delegate.interface)) continue;
    throw new Failure(
      "invalid-configuration",
      `network "${delegate.network}": interface "${delegate.interface}" exists in ${invocation.netns} already; remove it or ask for another name`,
    );
  }
  return intentRecord(invocation, podReference, namespace.identity, delegates, clock);
}

/** The answer must be there before the caller's patience ends, so a part of its time is kept for undoing. */
export function addDeadline(invocation: CniInvocation, settings: DomainSettings): Deadline {
  const own = Deadline.after(settings.timeouts.addMs);
  if (invocation.deadlineNs === undefined) return own;
  const callersMs = Deadline.at(invocation.deadlineNs).remainingMs();
  return own.earlier(Deadline.after(callersMs - Math.min(5000, callersMs / 5)));
}
