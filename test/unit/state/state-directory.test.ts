import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStateDirectory } from "../../../src/state/state-directory.ts";
import { temporaryDirectory } from "./state-fixture.ts";

const run = promisify(execFile);
const parts = ["deletions", "quarantine", "sandboxes", "spool", "strict"];

async function freshPath(): Promise<string> {
  return join(await temporaryDirectory(), "deep", "state");
}

function open(stateDir: string, requirePersistentState = false) {
  return openStateDirectory({ stateDir, requirePersistentState });
}

describe("openStateDirectory", () => {
  it("makes the directory and its parts for their owner alone", async () => {
    const stateDir = await freshPath();
    const opened = await open(stateDir);

    expect((await readdir(stateDir)).sort()).toEqual(parts);
    for (const path of [stateDir, ...parts.map((part) => join(stateDir, part))]) {
      expect((await stat(path)).mode & 0o777).toBe(0o700);
    }
    expect(opened).toMatchObject({ path: stateDir, sandboxes: join(stateDir, "sandboxes"), warnings: [] });
  });

  it("keeps what is there, tightens its own parts and warns of a directory that others may enter", async () => {
    const stateDir = await freshPath();
    await mkdir(join(stateDir, "spool"), { recursive: true });
    await chmod(stateDir, 0o755);
    await chmod(join(stateDir, "spool"), 0o777);
    await writeFile(join(stateDir, "spool", "c1@eth0.json"), "x");
    const { warnings } = await open(stateDir);

    expect((await stat(join(stateDir, "spool"))).mode & 0o777).toBe(0o700);
    await expect(readdir(join(stateDir, "spool"))).resolves.toEqual(["c1@eth0.json"]);
    expect(warnings).toMatchObject([expect.stringContaining("mode 755")]);
  });

  it("renames what stands in a part's place and says so", async () => {
    const stateDir = await freshPath();
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    await writeFile(join(stateDir, "sandboxes"), "x");
    const { warnings, sandboxes } = await open(stateDir);

    expect((await stat(sandboxes)).isDirectory()).toBe(true);
    expect(warnings).toMatchObject([expect.stringContaining("was no directory")]);
    expect((await readdir(stateDir)).filter((name) => name.startsWith("sandboxes.aside-"))).toHaveLength(1);
  });

  it("clears away what dead processes left in the making, and only that", async () => {
    const stateDir = await freshPath();
    const { sandboxes, spool } = await open(stateDir);
    const dead = await deadProcessId();
    const left = [`.a.json.${dead}.1.tmp`, `.b.json.${process.pid}.7.tmp`];
    const kept = [`.c.json.${process.ppid}.1.tmp`, ".tmp", ".x.tmp", "a.json", "strange.1.1.tmp"];
    for (const name of [...left, ...kept]) await writeFile(join(sandboxes, name), "x");
    const [fresh, old] = [`.new@eth0.json.${dead}.1.tmp`, `.old@eth0.json.${dead}.1.tmp`];
    for (const name of [fresh, old]) await writeFile(join(spool, name), "x");
    await utimes(join(spool, old), 1, 1);
    await open(stateDir);

    expect((await readdir(sandboxes)).sort()).toEqual(kept.sort());
    await expect(readdir(spool)).resolves.toEqual([fresh]);
  });

  it("names a file system that forgets, and refuses it where state must persist", async (context) => {
    const path = await temporaryDirectory();
    await run("mount", ["-t", "tmpfs", "-o", "size=1m", "multusd-test", path]).catch(() =>
      context.skip("needs root to mount a tmpfs"),
    );
    onTestFinished(async () => void (await run("umount", ["--lazy", path])));

    const opened = await open(join(path, "state"));
    expect(opened).toMatchObject({
      volatileFileSystem: "a tmpfs",
      warnings: [expect.stringContaining("a tmpfs")],
    });
    await expect(open(join(path, "state"), true)).rejects.toMatchObject({
      failureClass: "storage-failed",
      message: expect.stringContaining("mount it from the host"),
    });
  });

  it("knows an overlay, the layer of a container", async (context) => {
    const path = await temporaryDirectory();
    const [lower, upper, work, merged] = ["lower", "upper", "work", "merged"].map((name) => join(path, name));
    for (const directory of [lower, upper, work, merged]) if (directory !== undefined) await mkdir(directory);
    const layers = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
    await run("mount", ["-t", "overlay", "overlay", "-o", layers, String(merged)]).catch(() =>
      context.skip("needs root and overlayfs"),
    );
    onTestFinished(async () => void (await run("umount", ["--lazy", String(merged)])));

    await expect(open(join(String(merged), "state"))).resolves.toMatchObject({
      volatileFileSystem: "an overlay",
    });
  });

  it("refuses by name what it cannot use", async () => {
    const file = join(await temporaryDirectory(), "file");
    await writeFile(file, "x");

    for (const stateDir of [file, join(file, "state"), "/proc/multusd-test"]) {
      await expect(open(stateDir)).rejects.toMatchObject({ failureClass: "storage-failed" });
    }
  });
});

async function deadProcessId(): Promise<number> {
  const { stdout } = await run("sh", ["-c", "echo $$"]);
  return Number(stdout);
}
