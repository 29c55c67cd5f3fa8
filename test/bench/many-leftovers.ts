/**
 * A start over records of an earlier boot that nobody cleaned up: how long until requests are served, and how much
 * memory and CPU the look through them takes. Wants dist/. `node test/bench/many-leftovers.ts [COUNT] [SECONDS]`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultErrorPolicy } from "../../src/attachments/parse-error-policy.ts";
import type { SandboxRecord } from "../../src/attachments/sandbox-record.ts";
import { seal } from "../../src/state/envelope.ts";
import { dist } from "../support/dist.ts";
import { requestSocket } from "../support/socket-request.ts";

const count = Number(process.argv[2] ?? 300_000);
const seconds = Number(process.argv[3] ?? 60);
const directory = mkdtempSync(join(tmpdir(), "multusd-leftovers-"));

function leftover(index: number): SandboxRecord {
  const containerId = index.toString(16).padStart(64, "0");
  const generation = { bootId: "00000000-0000-4000-8000-000000000000", startNs: String(index) };
  return {
    containerId,
    ifName: "eth0",
    state: "added",
    generation,
    pod: { namespace: "default", name: `web-${index}`, uid: `u${index}` },
    netns: `/run/netns/cni-${index}`,
    created: new Date(0).toISOString(),
    attachments: [
      {
        network: "default/storage",
        listName: "storage",
        interface: "net1",
        config: JSON.stringify({ cniVersion: "1.0.0", name: "storage", plugins: [{ type: "macvlan" }] }),
        args: [],
        capabilityArgs: {},
        searchPath: ["/opt/cni/bin"],
        policy: { policy: defaultErrorPolicy, source: "default" },
        state: "added",
        since: new Date(0).toISOString(),
      },
    ],
  };
}

function prepare(): string {
  for (const name of ["run", "cni", "bin", "conf", "manifests"]) mkdirSync(join(directory, name));
  const sandboxes = join(directory, "state", "sandboxes");
  mkdirSync(sandboxes, { recursive: true, mode: 0o700 });
  for (let index = 0; index < count; index += 1) {
    const record = leftover(index);
    const body = { containerId: record.containerId, entries: [record] };
    writeFileSync(join(sandboxes, `${record.containerId}.json`), seal("multusd.sandbox", body));
  }
  const configFile = join(directory, "daemon-config.json");
  const config = {
    ...{
      socketDir: join(directory, "run"),
      cniDir: join(directory, "cni"),
      stateDir: join(directory, "state"),
    },
    ...{ binDir: join(directory, "bin"), confDir: join(directory, "conf"), kubernetes: "off" },
    manifestDir: join(directory, "manifests"),
  };
  writeFileSync(configFile, JSON.stringify(config));
  return configFile;
}

async function untilServing(daemon: ChildProcess): Promise<number> {
  const since = performance.now();
  for (;;) {
    if (daemon.exitCode !== null) throw new Error(`the daemon ended with ${daemon.exitCode}`);
    const answer = await requestSocket(join(directory, "run", "multus.sock"), {
      path: "/v1/deletions",
    }).catch(() => undefined);
    if (answer?.status === 200) return performance.now() - since;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function residentMb(pid: number): number {
  const [, kb = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kb) / 1024;
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const daemonLog = () => openSync(join(directory, "daemon.log"), "w");
let daemon: ChildProcess | undefined;
try {
  const configFile = prepare();
  const log = daemonLog();
  daemon = spawn(dist.daemon, ["--config", configFile], { stdio: ["ignore", log, log] });
  const { pid } = daemon;
  if (pid === undefined) throw new Error("the daemon could not be started");
  const servingMs = await untilServing(daemon);
  let most = 0;
  let slowest = 0;
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const since = performance.now();
    await requestSocket(join(directory, "run", "multus.sock"), { path: "/healthz" });
    slowest = Math.max(slowest, performance.now() - since);
    most = Math.max(most, residentMb(pid));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  console.log(
    `${count} leftovers: serving after ${Math.round(servingMs)} ms; at most ${Math.round(most)} MB; ${cpuSeconds(pid).toFixed(1)} s of CPU in ${seconds} s; slowest health probe ${Math.round(slowest)} ms`,
  );
} finally {
  daemon?.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
}
