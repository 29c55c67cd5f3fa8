/**
 * What ten thousand owed deletions of a network that is down cost while they wait: memory beside an empty domain, and
 * CPU over some seconds. `node --expose-gc test/bench/waiting-debts.ts [COUNT] [SECONDS]`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultErrorPolicy } from "../../src/attachments/parse-error-policy.ts";
import { RequestSlots } from "../../src/attachments/request-slots.ts";
import { SandboxTurns } from "../../src/attachments/sandbox-turns.ts";
import { DeletionLedger } from "../../src/deletions/deletion-ledger.ts";
import type { DeletionRecord } from "../../src/deletions/deletion-record.ts";
import { DeletionScheduler } from "../../src/deletions/deletion-scheduler.ts";
import { openBootClock } from "../../src/state/boot-clock.ts";
import { FileDeletionStore } from "../../src/state/deletion-store.ts";
import { DurableDirectory } from "../../src/state/durable-directory.ts";
import { Quarantine } from "../../src/state/quarantine.ts";
import { stampPlugin } from "../../src/state/stamp-plugin.ts";
import { RecordingInstruments } from "../support/recording-instruments.ts";
import { RecordingLog } from "../support/recording-log.ts";

const count = Number(process.argv[2] ?? 10_000);
const seconds = Number(process.argv[3] ?? 20);
const directory = await mkdtemp(join(tmpdir(), "multusd-debts-"));
const clock = await openBootClock();
const files = new DurableDirectory(join(directory, "deletions"));
const quarantine = new Quarantine(join(directory, "quarantine"), () => undefined);
const store = new FileDeletionStore(files, quarantine);

function debt(index: number): DeletionRecord {
  const error = { plugin: "macvlan", code: 42, msg: "the switch does not answer: no route to host" };
  const config = JSON.stringify({
    cniVersion: "1.0.0",
    name: "storage",
    plugins: [
      {
        type: "macvlan",
        master: "eth1",
        ipam: { type: "whereabouts", range: "10.0.0.0/16" },
        pad: "x".repeat(900),
      },
      { type: "tuning", sysctl: { "net.core.somaxconn": "500" } },
    ],
  });
  return {
    id: index.toString(16).padStart(20, "0"),
    state: "pending",
    sandbox: `${index}`.padStart(64, "c"),
    ifName: "eth0",
    generation: { bootId: clock.bootId, startNs: String(index) },
    pod: { namespace: "default", name: `web-${index}`, uid: `00000000-0000-0000-0000-${index}` },
    netns: `/run/netns/cni-${index}`,
    netnsIdentity: { bootId: clock.bootId, cookie: String(index), device: "4", inode: String(index) },
    attachment: {
      network: "default/storage",
      listName: "storage",
      interface: "net1",
      config,
      args: [
        ["K8S_POD_NAME", `web-${index}`],
        ["K8S_POD_NAMESPACE", "default"],
        ["IgnoreUnknown", "1"],
      ],
      capabilityArgs: {},
      searchPath: ["/opt/cni/bin"],
      result: JSON.stringify({
        cniVersion: "1.0.0",
        ips: [{ address: `10.0.${index >> 8}.${index & 255}/16` }],
      }),
      policy: { policy: defaultErrorPolicy, source: "definition" },
      state: "deleting",
      owed: [0, 1],
      since: clock.nowText(),
    },
    attemptCount: 5,
    attempts: Array.from({ length: 5 }, () => ({
      at: clock.nowText(),
      outcome: "failed" as const,
      durationMs: 20,
      error,
    })),
    lastError: error,
    created: clock.nowText(),
    age: { elapsedMs: 60_000, bootId: clock.bootId, atNs: clock.nowNs().toString() },
    reason: "its DEL failed",
  };
}

function settled(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
}

try {
  for (let index = 0; index < count; index += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, step) => store.save(debt(index + step))));
  }
  const before = settled();
  const instruments = new RecordingInstruments();
  const log = new RecordingLog();
  const ledger = new DeletionLedger({ store, instruments, clock, maxDeadLetters: () => 10_000, log });
  const { attachment } = debt(0);
  const scheduler = new DeletionScheduler({
    ledger,
    attempt: async (record) => ({ outcome: "failed", record }),
    removeFiles: async () => {},
    policyOf: () => attachment.policy,
    slots: new RequestSlots({ concurrent: 16, reservedForDel: 2, waiting: 1000 }, instruments),
    turns: new SandboxTurns(),
    instruments,
    recorder: { record: () => {}, stepsOf: () => [] },
    clock,
    log,
    concurrencyOf: () => undefined,
    surroundingsOf: (record) => ({
      subject: "",
      stamp: stampPlugin({ type: "macvlan", searchPath: record.attachment.searchPath }),
    }),
    random: Math.random,
  });
  const loadNs = process.hrtime.bigint();
  await ledger.load();
  const loadMs = Number(process.hrtime.bigint() - loadNs) / 1e6;
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const memory = settled() - before;
  const cpu = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const { user, system } = process.cpuUsage(cpu);
  await scheduler.stop();
  const share = (user + system) / (seconds * 1e6);
  console.log(
    `${count} owed deletions: read in ${Math.round(loadMs)} ms; ${(memory / 1e6).toFixed(1)} MB; ${(100 * share).toFixed(2)} % of a core while they wait; ${instruments.retries.length} tries`,
  );
} finally {
  await files.close();
  await rm(directory, { recursive: true, force: true });
}
