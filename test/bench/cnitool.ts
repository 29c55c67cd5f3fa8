import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const version = "v1.3.0";

/** Path of upstream's `cnitool` (`CNITOOL`, or built by the Go of this machine), or why there is none. */
export async function findCnitool(): Promise<{ readonly path: string } | { readonly missing: string }> {
  const named = process.env["CNITOOL"];
  if (named !== undefined) return { path: named };
  const directory = join(tmpdir(), `multusd-tools-${process.getuid?.() ?? 0}`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  try {
    await run("go", ["install", `github.com/containernetworking/cni/cnitool@${version}`], {
      env: { ...process.env, GOBIN: directory },
    });
    return { path: join(directory, "cnitool") };
  } catch (error) {
    const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: string };
    return { missing: code === "ENOENT" ? "no Go here" : (stderr?.trim() ?? String(error)) };
  }
}
