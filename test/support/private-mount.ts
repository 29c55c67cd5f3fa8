import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { makeNamespace } from "./network-namespace.ts";
import { waitFor } from "./wait-for.ts";

const run = promisify(execFile);

/** A small file system over a directory, seen only by those who are started through `wrapper`. */
export interface PrivateMount {
  /** Words before a command that is to see it. */
  readonly wrapper: readonly string[];
  /** The directory's path for the test, which is outside. */
  readonly path: string;
  /** Takes all the room that is left. */
  fill(): Promise<void>;
  /** Gives it back. */
  free(): Promise<void>;
  /** Whoever opens a file for writing from now on is refused with EROFS. */
  makeReadOnly(): Promise<void>;
  /** Ends that. */
  makeWritable(): Promise<void>;
}

/**
 * Mounts a tmpfs of `size` over `directory` in a mount namespace of its own; gone with the test, even if that is
 * killed. Network namespaces that are made later are seen inside as well.
 */
export async function usePrivateMount(directory: string, size: string): Promise<PrivateMount> {
  // The first namespace ever makes /run/netns a mount of its own, which must be before the mounts are copied.
  await (await makeNamespace()).remove();
  const script = `mount -t tmpfs -o size=${size},mode=700 mt-small "$0" && echo mounted && exec cat`;
  const holder = spawn("unshare", ["--mount", "--propagation", "slave", "sh", "-c", script, directory], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(async () => await end(holder));
  await untilMounted(holder);
  const wrapper = ["nsenter", `--mount=/proc/${holder.pid}/ns/mnt`];
  const inside = async (...words: readonly string[]) => {
    const [program = "", ...args] = [...wrapper, ...words];
    await run(program, args);
  };
  const path = `/proc/${holder.pid}/root${directory}`;
  return {
    wrapper,
    path,
    fill: async () => await fill(join(path, "filler")),
    free: async () => await rm(join(path, "filler")),
    // A mount of its own on top, made elsewhere: where a file is open for writing, nothing becomes read-only in place.
    makeReadOnly: async () => {
      const elsewhere = `${directory}.read-only`;
      await mkdir(elsewhere, { recursive: true });
      await inside("mount", "--bind", directory, elsewhere);
      await inside("mount", "-o", "remount,bind,ro", elsewhere);
      await inside("mount", "--bind", elsewhere, directory);
    },
    makeWritable: async () => await inside("mount", "-o", "remount,bind,rw", directory),
  };
}

async function untilMounted(holder: ChildProcess): Promise<void> {
  let said = "";
  holder.stdout?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await waitFor("the mount", () => said.includes("mounted"));
}

/** It lives as long as its stdin. */
async function end(holder: ChildProcess): Promise<void> {
  if (holder.exitCode !== null || holder.signalCode !== null) return;
  const ended = new Promise((resolve) => holder.once("exit", resolve));
  holder.stdin?.end();
  await ended;
}

async function fill(path: string): Promise<void> {
  const file = await open(path, "a");
  try {
    for (;;) await file.write(Buffer.alloc(4096, 1));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  } finally {
    await file.close();
  }
}
