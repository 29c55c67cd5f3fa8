import { begin, claim, command, output } from "../narrator.mjs";
import { inNode } from "../node.mjs";

const shown = [
  "multus_del_failures_total",
  "multus_deletion_retries_total",
  "multus_spooled_deletions_total",
  "multus_state_corrupt_total",
  "multus_cni_requests_total",
  "multus_config_reloads_total",
];

const fetchMetrics =
  'fetch("http://127.0.0.1:9095/metrics").then((r) => r.text()).then((t) => process.stdout.write(t))';

async function showCounters() {
  command("curl http://127.0.0.1:9095/metrics");
  const text = await inNode(process.execPath, "--eval", fetchMetrics);
  const counts = text
    .split("\n")
    .filter((line) => shown.some((name) => line.startsWith(`${name}{`) || line.startsWith(`${name} `)));
  output(counts.filter((line) => !line.endsWith(" 0")).join("\n"));
  return text;
}

/** Counters of the daemon that all went through so far. */
export async function showFailureCounters() {
  begin("What Prometheus sees", "Which network failed, by which policy, and what was decided.");
  const text = await showCounters();
  for (const [policy, decision] of Object.entries({
    strict: "returned",
    lenient: "tolerated",
    deferred: "deferred",
  })) {
    const failures = countOf(text, "multus_del_failures_total", [
      `policy="${policy}"`,
      `decision="${decision}"`,
    ]);
    claim(`one failure of a ${policy} network was ${decision}`, failures === 1, failures);
  }
  claim("the unreadable files were counted", countOf(text, "multus_state_corrupt_total", []) >= 2);
  claim(
    "the owed deletion was settled",
    countOf(text, "multus_deletion_retries_total", ['outcome="settled"']) === 1,
  );
}

/** Counters begin anew with each daemon. */
export async function showSpoolCounter() {
  const text = await showCounters();
  claim("the DEL from the spool was counted", countOf(text, "multus_spooled_deletions_total", []) === 1);
}

function countOf(text, name, labels) {
  const lines = text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  const fitting = lines.filter((line) => labels.every((label) => line.includes(label)));
  return fitting.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
