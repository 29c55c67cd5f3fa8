import { spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { hasInterpreter } from "./elf.mjs";
import { replaceFileWithCopy } from "./replace-file.mjs";

/** Contract §3: one static file that any host can run. */
const largestShim = 1_500_000;

/** Builds the Rust workspace and places its programs: `{binary name: file}`. Works offline once crates are there. */
export async function buildNative(programs) {
  const built = await cargoBuild();
  for (const [name, file] of Object.entries(programs)) {
    const binary = built.get(name);
    if (binary === undefined) throw new Error(`cargo built no ${name}`);
    await check(name, binary);
    await replaceFileWithCopy(binary, file);
  }
}

async function check(name, binary) {
  if (await hasInterpreter(binary)) throw new Error(`${name} is not static`);
  const { size } = await stat(binary);
  if (name === "multus-shim" && size >= largestShim)
    throw new Error(`${name} has ${size} bytes, limit ${largestShim}`);
}

/** cargo itself says where each binary is: that depends on its configuration. */
async function cargoBuild() {
  const arguments_ = [
    "build",
    "--release",
    "--locked",
    "--bins",
    "--quiet",
    "--message-format=json-render-diagnostics",
  ];
  const cargo = spawn("cargo", arguments_, { cwd: "shim", stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve, reject) => cargo.once("error", reject).once("close", resolve));
  const built = new Map();
  for await (const line of createInterface({ input: cargo.stdout })) {
    const message = JSON.parse(line);
    if (message.reason === "compiler-artifact" && message.executable)
      built.set(message.target.name, message.executable);
  }
  const code = await ended;
  if (code !== 0) throw new Error(`cargo build ended with ${code}`);
  return built;
}
