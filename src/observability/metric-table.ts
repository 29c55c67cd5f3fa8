/** One metric: what `docs/metrics.md` is generated from and the registry is made from. */
export interface MetricFacts<L extends string = string> {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly L[];
  /** Upper bounds in seconds; of histograms only. */
  readonly buckets?: readonly number[];
}

function counter<const L extends string>(name: string, labels: readonly L[], help: string) {
  return { name, type: "counter", help, labels } as const satisfies MetricFacts<L>;
}

function gauge<const L extends string>(name: string, labels: readonly L[], help: string) {
  return { name, type: "gauge", help, labels } as const satisfies MetricFacts<L>;
}

function histogram<const L extends string>(
  name: string,
  labels: readonly L[],
  buckets: readonly number[],
  help: string,
) {
  return { name, type: "histogram", help, labels, buckets } as const satisfies MetricFacts<L>;
}

const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const delegateBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const waitBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60];

/** Every metric of our own (contract §7). */
export const metricTable = {
  serverRequests: counter(
    "multus_server_request_total",
    ["handler", "code", "method"],
    "HTTP requests by route, status and method, as upstream counts them.",
  ),
  cniRequests: counter(
    "multus_cni_requests_total",
    ["command", "outcome", "code"],
    "CNI requests by command, outcome (success, failure, cancelled) and the CNI code that the runtime got.",
  ),
  cniRequestSeconds: histogram(
    "multus_cni_request_duration_seconds",
    ["command", "outcome"],
    requestBuckets,
    "Time from a CNI request's arrival to its reply.",
  ),
  shimSeconds: histogram(
    "multus_shim_duration_seconds",
    ["command"],
    requestBuckets,
    "Time from the shim's start, which it sends, to the reply.",
  ),
  delegateExecutions: counter(
    "multus_delegate_executions_total",
    ["network", "plugin", "command", "outcome"],
    "Runs of plugins by outcome: success, error, timeout, killed, not-started, cancelled.",
  ),
  delegateSeconds: histogram(
    "multus_delegate_duration_seconds",
    ["network", "plugin", "command"],
    delegateBuckets,
    "Time that a plugin ran.",
  ),
  delegatesRunning: gauge("multus_delegates_running", [], "Plugins that run now."),
  delFailures: counter(
    "multus_del_failures_total",
    ["network", "plugin", "policy", "decision", "code"],
    "Failed DELs of plugins: which policy decided, and what became of them (returned, tolerated, deferred, ignored, escalated).",
  ),
  deletionsPending: gauge(
    "multus_deletions_pending",
    ["network", "state"],
    "Deletions that are owed (pending) or given up (dead).",
  ),
  deletionsOldestAge: gauge(
    "multus_deletions_oldest_age_seconds",
    [],
    "Age of the oldest owed deletion; 0: none.",
  ),
  deadLettersOldestAge: gauge(
    "multus_dead_letters_oldest_age_seconds",
    [],
    "Age of the oldest deletion that was given up; 0: none.",
  ),
  deadLettersArchived: counter(
    "multus_dead_letters_archived_total",
    ["network"],
    "Dead letters beyond the limit that were moved to the archive.",
  ),
  deletionRetries: counter(
    "multus_deletion_retries_total",
    ["network", "outcome"],
    "Attempts at owed deletions by outcome: settled, unverified (settled without the namespace that a device was in), failed, fenced.",
  ),
  deletionsDead: counter(
    "multus_deletions_dead_total",
    ["network", "reason"],
    "Owed deletions that were given up.",
  ),
  spooledDeletions: counter(
    "multus_spooled_deletions_total",
    [],
    "DELs that no daemon took, found in the spool.",
  ),
  foreignSpools: counter(
    "multus_shim_foreign_spool_total",
    [],
    "Requests of shims that would spool to a directory which this daemon does not read.",
  ),
  stateCorrupt: counter(
    "multus_state_corrupt_total",
    ["kind"],
    "Unreadable files of the state, moved to quarantine.",
  ),
  sandboxes: gauge("multus_sandboxes", [], "Sandboxes with attached networks."),
  queueWait: histogram(
    "multus_queue_wait_seconds",
    ["lane"],
    waitBuckets,
    "Time that a request waited for its turn and its slot.",
  ),
  configReloads: counter(
    "multus_config_reloads_total",
    ["outcome"],
    "Changes of the configuration file that were applied or refused.",
  ),
  buildInfo: gauge(
    "multus_build_info",
    ["version", "node"],
    "1; the labels name the versions of daemon and Node.",
  ),
} as const satisfies Readonly<Record<string, MetricFacts>>;

/** What the names of the Prometheus community say of every process. */
export const processMetricTable = {
  cpuSeconds: counter("process_cpu_seconds_total", [], "CPU time of the daemon, user and system."),
  startTime: gauge("process_start_time_seconds", [], "Start of the daemon, seconds since 1970."),
  residentBytes: gauge(
    "process_resident_memory_bytes",
    [],
    "Resident memory of the daemon, without its children.",
  ),
  openDescriptors: gauge("process_open_fds", [], "Open file descriptors of the daemon."),
  maxDescriptors: gauge("process_max_fds", [], "Most file descriptors that the daemon may open."),
  heapUsedBytes: gauge("nodejs_heap_size_used_bytes", [], "JavaScript heap in use."),
  heapTotalBytes: gauge("nodejs_heap_size_total_bytes", [], "JavaScript heap."),
  externalBytes: gauge("nodejs_external_memory_bytes", [], "Memory of objects outside of the heap."),
  loopUtilization: gauge(
    "nodejs_eventloop_utilization",
    [],
    "Share of the time since the last scrape in which the event loop was busy, 0 to 1.",
  ),
} as const satisfies Readonly<Record<string, MetricFacts>>;
