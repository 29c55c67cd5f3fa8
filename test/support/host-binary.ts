import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { dist } from "./dist.ts";

const run = promisify(execFile);
const workspace = fileURLToPath(new URL("../../shim", import.meta.url));
const built = `${workspace}/target/release/multus-host`;

/**
 * The `multus-host` to test: `MULTUS_HOST_BINARY`, what `make build` left, what cargo left, or a fresh build (a minute;
 * cargo lets tests side by side wait for each other).
 */
export async function hostBinary(): Promise<string> {
  const named = process.env["MULTUS_HOST_BINARY"];
  if (named !== undefined) return named;
  for (const candidate of [dist.host, built]) if (await exists(candidate)) return candidate;
  await run("cargo", ["build", "--release", "--locked", "-p", "multus-host"], {
    cwd: workspace,
    env: { ...process.env, CARGO_TARGET_DIR: `${workspace}/target` },
  });
  return built;
}

/** For hooks that call `hostBinary`. */
export const hostBuildMs = 300_000;

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
