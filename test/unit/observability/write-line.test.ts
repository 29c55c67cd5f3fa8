import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeLine } from "../../../src/observability/write-line.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "multusd-write-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe("writeLine", () => {
  it("gives a line up, soon, when nobody reads the pipe", () => {
    const pipe = join(directory, "pipe");
    execFileSync("/usr/bin/mkfifo", [pipe]);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      const start = performance.now();
      expect(writeLine(writer, `${"x".repeat(1024 * 1024)}\n`)).toBe(false);
      expect(performance.now() - start).toBeLessThan(1000);
    } finally {
      closeSync(writer);
      closeSync(reader);
    }
  });

  it("gives a line up when the reader has gone, or the descriptor is none", () => {
    const pipe = join(directory, "pipe");
    execFileSync("/usr/bin/mkfifo", [pipe]);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    closeSync(reader);
    expect(writeLine(writer, "x\n")).toBe(false);
    closeSync(writer);
    expect(writeLine(1_000_000, "x\n")).toBe(false);
  });
});
