import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { configFile, dist, home, nodeNamespace } from "./node.mjs";
import { must } from "./run.mjs";
import { within } from "./wait.mjs";

const socket = join(home, "run/multus.sock");
let running;

/** Starts `dist/multusd` in the demo's node and waits until it can serve ADD; gives the milliseconds that took. */
export async function startDaemon() {
  const started = performance.now();
  const errors = openSync(join(home, "multusd.stderr"), "a");
  const child = spawn(
    "nsenter",
    [`--net=/run/netns/${nodeNamespace}`, dist("multusd"), "--config", configFile],
    { stdio: ["ignore", errors, errors] },
  );
  const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  running = { child, ended };
  const ready = await within(
    15_000,
    async () => child.exitCode !== null || (await ask("/readyz"))?.status === 200,
  );
  if (!ready || child.exitCode !== null) {
    throw new Error(`multusd is not ready:\n${await readFile(join(home, "multusd.stderr"), "utf8")}`);
  }
  return performance.now() - started;
}

export function daemonPid() {
  return running.child.pid;
}

/** Ends the daemon if it runs, and waits for that; gives its exit code or signal. */
export async function endDaemon(signal) {
  if (running === undefined) return undefined;
  running.child.kill(signal);
  const how = await running.ended;
  running = undefined;
  return how;
}

/** GET over the daemon's socket: {status, text}, or `undefined` where nobody answers. */
export async function ask(path) {
  return await new Promise((resolve) => {
    const asked = request({ socketPath: socket, path, agent: false, timeout: 2_000 }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      reply.once("end", () => resolve({ status: reply.statusCode, text }));
    });
    asked.once("timeout", () => asked.destroy());
    asked.once("error", () => resolve(undefined));
    asked.end();
  });
}

export async function items(path) {
  return JSON.parse((await ask(path)).text).items;
}

export async function multusctl(...args) {
  return await must(dist("multusctl"), "--socket", socket, ...args);
}

/** Processes of this build or of the demo's plugins that still live. */
export async function leftProcesses() {
  const left = [];
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const line = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).replaceAll("\0", " ");
    if (line.includes(home) || line.startsWith(dist("multus-host"))) left.push(`${pid} ${line}`);
  }
  return left.filter((line) => !line.startsWith(`${process.pid} `));
}
