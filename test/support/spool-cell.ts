import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runShim, type ShimOutcome } from "./shim.ts";

export interface SpoolCell {
  readonly socketDir: string;
  /** How the spool is, as `docs/shim.md` calls it. */
  readonly spool: string;
  /** Value of `delErrorPolicy` on stdin. */
  readonly policy: unknown;
  /** The first refusal was long ago. */
  readonly escalated: boolean;
}

export interface CellOutcome extends ShimOutcome {
  /** What stands in the spool's directory afterwards, half files too. */
  readonly spooled: readonly SpooledFile[];
  readonly stdin: string;
}

export interface SpooledFile {
  readonly name: string;
  /** `undefined`: not whole, or not what its checksum says. */
  readonly body: SpoolBody | undefined;
}

export interface SpoolBody {
  readonly env: Readonly<Record<string, string>>;
  readonly config: string;
  readonly policy: string;
  readonly reason: string;
}

export const cellContainer = "mt-cell";

/** Shell commands that make a spool so, in a mount namespace that only the shim is in. */
const preparations: Readonly<Record<string, string>> = {
  fine: "mkdir -m 700 state/spool",
  missing: "true",
  full: `mount -t tmpfs -o size=64k,mode=700 mt-full state && cp -a prepared/. state/ && mkdir -m 700 state/spool
    head -c 1000000 /dev/zero >state/filler 2>/dev/null || true`,
  "read-only": "mkdir -m 700 state/spool && mount --bind state state && mount -o remount,bind,ro state",
  "of another owner": "mkdir -m 700 state/spool && chown 1 state/spool",
};

/** Runs the shim's DEL with a spool that is as wished. */
export async function deleteWithSpool(cell: SpoolCell): Promise<CellOutcome> {
  const directory = await mkdtemp(join(tmpdir(), "mt-spool-"));
  try {
    await mkdir(join(directory, "after"));
    await mkdir(join(directory, "prepared"), { mode: 0o700 });
    if (cell.escalated) await stampOldRefusal(join(directory, "prepared"));
    const stdin = JSON.stringify(configuration(cell, join(directory, "state/spool")));
    const outcome = await runShim({
      command: "DEL",
      containerId: cellContainer,
      netns: "/run/netns/mt-none",
      stdin,
      wrapper: ["unshare", "--mount", "--propagation", "private", "sh", "-c", script(cell.spool, directory)],
    });
    return { ...outcome, stdin, spooled: await readSpool(join(directory, "after")) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** `$0` is the shim; what it leaves is copied out of a mount that ends with the script. */
function script(spool: string, directory: string): string {
  const prepare = preparations[spool];
  if (prepare === undefined) throw new Error(`nobody knows how to make a spool "${spool}"`);
  return `cd ${directory} && cp -a prepared state && { ${prepare}; } || exit 99
    "$0"; code=$?
    [ ! -d state/spool ] || cp -a state/spool/. after/
    exit $code`;
}

function configuration(cell: SpoolCell, spoolDir: string): object {
  return {
    cniVersion: "1.0.0",
    name: "multus-cni-network",
    type: "multus-shim",
    daemonSocketDir: cell.socketDir,
    delErrorPolicy: cell.policy,
    shim: { spoolDir, delDecisionTime: "100ms", delTimeout: "5s" },
  };
}

/** A refusal of an earlier boot counts as older than any age. */
async function stampOldRefusal(stateDir: string): Promise<void> {
  const body = JSON.stringify({ bootId: "0b1f3a52-6f0e-4b6e-9d0c-2a7e5c1d4f88", atNs: "1" });
  await mkdir(join(stateDir, "strict"), { mode: 0o700 });
  const sealed = `{"kind":"multusd.refusal","version":1,"sha256":"${sha256(body)}","body":${body}}\n`;
  await writeFile(join(stateDir, "strict", `${cellContainer}@refused`), sealed, { mode: 0o600 });
}

async function readSpool(directory: string): Promise<readonly SpooledFile[]> {
  const names = await readdir(directory);
  return await Promise.all(
    names.map(async (name) => ({ name, body: unseal(await readFile(join(directory, name), "utf8")) })),
  );
}

function unseal(text: string): SpoolBody | undefined {
  const match = /^\{"kind":"multusd\.spool","version":1,"sha256":"([0-9a-f]{64})","body":(.*)\}\n$/.exec(
    text,
  );
  const [, sum, body = ""] = match ?? [];
  return sum === sha256(body) ? (JSON.parse(body) as SpoolBody) : undefined;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
