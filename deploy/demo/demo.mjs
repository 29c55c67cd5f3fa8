/** `make demo`: what multusd does for a pod, on a real kernel with Debian's own plugins. Every line with a tick was checked. */
import { endDaemon, leftProcesses, startDaemon } from "./daemon.mjs";
import { begin, claim, end, failure, title } from "./narrator.mjs";
import { prepareNode, removeNode } from "./node.mjs";
import { attachPod } from "./story/attach.mjs";
import { damageRecords } from "./story/damaged-records.mjs";
import { failEachWay } from "./story/failing-delete.mjs";
import { killDaemon } from "./story/killed-daemon.mjs";
import { showFailureCounters } from "./story/metrics.mjs";
import { proveNothingIsLeft } from "./story/nothing-left.mjs";

const started = performance.now();

/** Also ends what an interrupted demo left: its names are fixed. */
async function clean() {
  await endDaemon("SIGKILL");
  for (const line of await leftProcesses()) process.kill(Number.parseInt(line, 10), "SIGKILL");
  await removeNode();
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => {
    // Twice: the story goes on until the process ends, and may have made something meanwhile.
    void clean()
      .then(clean)
      .finally(() => process.exit(130));
  });
}

async function play() {
  title("multusd: a pod gets its networks, and gives them back, whatever fails on the way");
  begin(
    "A node",
    "A network namespace plays the node, so that links and firewall of this machine stay as they are.",
  );
  await prepareNode();
  const readyAfterMs = await startDaemon();
  claim(`dist/multusd is ready after ${readyAfterMs.toFixed(0)} ms`, readyAfterMs < 5_000);
  await attachPod();
  await failEachWay();
  await damageRecords();
  await showFailureCounters();
  await killDaemon();
  await proveNothingIsLeft();
}

if (process.getuid() !== 0) {
  console.error("demo: needs root, for network namespaces");
  process.exit(1);
}
try {
  await clean();
  await play();
  end((performance.now() - started) / 1000);
} catch (error) {
  failure(error);
  process.exitCode = 1;
} finally {
  await clean();
}
