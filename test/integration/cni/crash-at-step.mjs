// Writes a cache record and is killed by itself at step N of the write: before the N-th file operation, or, for the
// writing of the text, in the middle of it. Usage: crash-at-step.mjs DIRECTORY NETNS N
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const [directory, netns, stepText] = process.argv.slice(2);
let stepsLeft = Number(stepText);

function dieIfDue() {
  if (stepsLeft === 0) process.kill(process.pid, "SIGKILL");
  stepsLeft -= 1;
}

function interrupt(target, name, halfway) {
  const original = target[name];
  target[name] = async function interrupted(...args) {
    dieIfDue();
    if (stepsLeft === 0 && halfway !== undefined) await halfway.apply(this, args);
    return await original.apply(this, args);
  };
}

const { mkdirSync } = fs;
fs.mkdirSync = (...args) => {
  dieIfDue();
  return mkdirSync(...args);
};
const probe = await fs.promises.open(process.execPath);
const handlePrototype = Object.getPrototypeOf(probe);
await probe.close();
for (const name of ["open", "rename"]) interrupt(fs.promises, name);
for (const name of ["sync", "close"]) interrupt(handlePrototype, name);
interrupt(handlePrototype, "writeFile", async function writeHalf(text) {
  await this.write(text.slice(0, text.length / 2));
  dieIfDue();
});
syncBuiltinESMExports();

const { createResultCache, parseResult, writeFileDurably } = await import("../../../src/cni/index.ts");
const names = { networkName: "net", containerId: "cid", ifName: "eth0" };
const rest = {
  netns,
  config: "{}",
  args: [],
  capabilityArgs: {},
  result: parseResult('{"cniVersion":"1.1.0"}'),
};
await createResultCache(directory, writeFileDurably).write({ ...names, ...rest });
