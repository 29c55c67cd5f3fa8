import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LogOutput } from "../../../src/observability/log-output.ts";

const logOptions = { maxSizeMb: 100, maxAgeDays: 5, maxBackups: 5, compress: false };

/** A standard error stream that can be told to refuse lines. */
class FakeStream {
  readonly written: string[] = [];
  isBlocked = false;

  write(line: string): boolean {
    if (!this.isBlocked) this.written.push(line);
    return !this.isBlocked;
  }
}

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "multusd-output-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe("LogOutput", () => {
  it("writes to both where both are asked for", async () => {
    const stderr = new FakeStream();
    const logFile = join(directory, "log");
    const output = new LogOutput({ logToStderr: true, logFile, logOptions }, stderr);
    output.write("one\n");
    await output.stop();
    expect(stderr.written).toEqual(["one\n"]);
    expect(await readFile(logFile, "utf8")).toBe("one\n");
  });

  it("writes to the file alone where stderr is not wanted", async () => {
    const stderr = new FakeStream();
    const output = new LogOutput({ logToStderr: false, logFile: join(directory, "log"), logOptions }, stderr);
    output.write("one\n");
    expect(stderr.written).toEqual([]);
    await output.stop();
    output.write("two\n");
    expect(stderr.written).toEqual(["two\n"]);
  });

  it("never has nowhere to write to", () => {
    const stderr = new FakeStream();
    new LogOutput({ logToStderr: false, logOptions }, stderr).write("one\n");
    expect(stderr.written).toEqual(["one\n"]);
  });

  it("falls back to stderr while the file cannot be opened", async () => {
    await writeFile(join(directory, "file"), "");
    const stderr = new FakeStream();
    const output = new LogOutput(
      { logToStderr: false, logFile: join(directory, "file", "log"), logOptions },
      stderr,
    );
    output.write("one\n");
    expect(stderr.written).toEqual(["one\n"]);
  });

  it("says how many lines were lost once it can write again", () => {
    const stderr = new FakeStream();
    const output = new LogOutput({ logToStderr: true, logOptions }, stderr);
    stderr.isBlocked = true;
    output.write("one\n");
    output.write("two\n");
    stderr.isBlocked = false;
    output.write("three\n");
    output.write("four\n");
    expect(stderr.written).toHaveLength(3);
    expect(JSON.parse(stderr.written[0] ?? "")).toMatchObject({
      level: "warn",
      lines: 2,
      msg: "log lines were lost",
    });
    expect(stderr.written.slice(1)).toEqual(["three\n", "four\n"]);
  });
});
