import type { PolicyMode } from "../attachments/error-policy.ts";
import type { DelDecision, Instruments } from "../attachments/instruments.ts";
import { codeLabel, commandLabel, LabelBudget, NetworkLabels } from "./label-budget.ts";
import { positive, type Series } from "./metric-series.ts";

/** The domain's port over the registry's series, with closed label sets. */
export function createInstruments(series: Series): Instruments {
  const labels = new NetworkLabels();
  const lanes = new LabelBudget(10);
  for (const kind of corruptKinds) series.stateCorrupt.inc({ kind }, 0);
  series.spooledDeletions.inc(0);
  return {
    cniRequest({ command, outcome, code, seconds }) {
      const bounded = commandLabel(command);
      series.cniRequests.inc({ command: bounded, outcome, code: codeLabel(code) });
      series.cniRequestSeconds.observe({ command: bounded, outcome }, positive(seconds));
    },
    delegateExecution({ network, plugin, command, outcome, seconds }) {
      const bounded = { ...labels.pair(network, plugin), command: commandLabel(command) };
      series.delegateExecutions.inc({ ...bounded, outcome });
      series.delegateSeconds.observe(bounded, positive(seconds));
    },
    delFailure({ network, plugin, policy, decision, code }) {
      const pair = labels.pair(network, plugin);
      series.delFailures.inc({ ...pair, policy, decision, code: codeLabel(code) });
    },
    networkSeen: (network, plugins) => prepareNetwork(series, labels, network, plugins),
    queueWait: (lane, seconds) => series.queueWait.observe({ lane: lanes.bound(lane) }, positive(seconds)),
    stateCorrupt: (kind) => series.stateCorrupt.inc({ kind }),
    spooledDeletion: () => series.spooledDeletions.inc(),
    sandboxes: (count) => series.sandboxes.set(positive(count)),
    delegatesRunning: (count) => series.delegatesRunning.set(positive(count)),
    ...deletionInstruments(series, labels),
  };
}

const corruptKinds = ["sandbox", "deletion", "spool", "scratch", "cache"] as const;

/** What each policy can decide; a failure that matches `ignore` is ignored under any of them. */
const decisions: Readonly<Record<PolicyMode, readonly DelDecision[]>> = {
  strict: ["returned", "escalated"],
  lenient: ["tolerated"],
  deferred: ["deferred"],
};

/**
 * The codes that failures mostly have: a plugin's unnamed error, a plugin's own code, out of time, wrong
 * configuration, a failed write. All fifteen would be a hundred series for each plugin of each network.
 */
const likelyCodes = ["999", "other", "11", "7", "5"];

/** Reasons of `src/deletions` for a dead letter. */
const deadReasons = ["age", "fenced", "crashes"];

/** Makes counters exist at 0: `increase()` does not see the step from absent to 1. */
function prepareNetwork(
  series: Series,
  labels: NetworkLabels,
  network: string,
  plugins: readonly string[],
): void {
  for (const reason of deadReasons) series.deletionsDead.inc({ network: labels.network(network), reason }, 0);
  for (const plugin of plugins) {
    const pair = labels.pair(network, plugin);
    for (const [policy, decided] of Object.entries(decisions)) {
      for (const decision of decided) {
        for (const code of likelyCodes) series.delFailures.inc({ ...pair, policy, decision, code }, 0);
      }
    }
  }
}

function deletionInstruments(
  series: Series,
  labels: NetworkLabels,
): Pick<Instruments, "deletionRetry" | "deletionDead" | "deletionArchived" | "deletionsOwed"> {
  const reasons = new LabelBudget(20);
  const owing = new Set<string>();
  return {
    deletionRetry: (network, outcome) =>
      series.deletionRetries.inc({ network: labels.network(network), outcome }),
    deletionDead(network, reason) {
      series.deletionsDead.inc({ network: labels.network(network), reason: reasons.bound(reason) });
    },
    deletionArchived: (network) => series.deadLettersArchived.inc({ network: labels.network(network) }),
    deletionsOwed(counts, oldestAgeSeconds, oldestDeadAgeSeconds = 0) {
      for (const { network } of counts) owing.add(labels.network(network));
      // A network that owes nothing any more stays, at 0.
      for (const network of owing) {
        for (const state of ["pending", "dead"]) series.deletionsPending.set({ network, state }, 0);
      }
      for (const { network, state, count } of counts) {
        series.deletionsPending.inc({ network: labels.network(network), state }, positive(count));
      }
      series.deletionsOldestAge.set(positive(oldestAgeSeconds));
      series.deadLettersOldestAge.set(positive(oldestDeadAgeSeconds));
    },
  };
}
