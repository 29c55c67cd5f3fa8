import { spawn } from "node:child_process";

/** Runs a program to its end: {code, stdout, stderr, ms}. Never rejects because of how it ends. */
export async function run(program, args = [], { env = process.env, stdin = "" } = {}) {
  const started = performance.now();
  const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  return { code, stdout, stderr, ms: performance.now() - started };
}

/** As `run`; rejects with what the program said unless it ended with 0. Gives stdout. */
export async function must(program, ...args) {
  const { code, stdout, stderr } = await run(program, args);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr.trim() || `exit ${code}`}`);
  return stdout;
}
