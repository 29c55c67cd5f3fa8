import { begin, claim, command, output } from "../narrator.mjs";
import { inNode } from "../node.mjs";

const shown = [
  "multus_del_failures_total",
  "multus_deletion_retries_total",
  "multus_deletions_pending",
  "multus_spooled_deletions_total",
  "multus_state_corrupt_total",
  "multus_cni_requests_total",
  "multus_sandboxes",
];

const fetchMetrics =
  'fetch("http://127.0.0.1:9095/metrics").then((r) => r.text()).then((t) => process.stdout.write(t))';

/** Counters that Prometheus would see; they begin anew with each daemon. */
export async function showMetrics() {
  begin("What Prometheus sees", "Counters since the daemon's last start.");
  command("curl http://127.0.0.1:9095/metrics");
  const text = await inNode(process.execPath, "--eval", fetchMetrics);
  const lines = text
    .split("\n")
    .filter((line) => shown.some((name) => line.startsWith(name)) && !line.endsWith(" 0"));
  output(lines.join("\n"));
  claim("the spooled DEL was counted", /^multus_spooled_deletions_total 1$/m.test(text));
}
