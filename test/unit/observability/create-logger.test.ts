import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../../../src/attachments/failure.ts";
import { createLogger, type Logger, type LogLevelName } from "../../../src/observability/create-logger.ts";
import { waitFor } from "../../support/wait-for.ts";

const rotation = { maxSizeMb: 100, maxAgeDays: 5, maxBackups: 5, compress: false };

let directory = "";
let logger: Logger | undefined;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "multusd-log-"));
});
afterEach(async () => {
  await logger?.stop();
  await rm(directory, { recursive: true, force: true });
});

function open(logLevel: LogLevelName = "info", logOptions: Partial<typeof rotation> = {}): Logger {
  const logFile = join(directory, "sub", "multusd.log");
  logger = createLogger({
    logLevel,
    logToStderr: false,
    logFile,
    logOptions: { ...rotation, ...logOptions },
  });
  return logger;
}

async function text(): Promise<string> {
  return await readFile(join(directory, "sub", "multusd.log"), "utf8");
}

async function lines(): Promise<readonly Record<string, unknown>[]> {
  const written = (await text().catch(() => "")).split("\n").filter((line) => line !== "");
  return written.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("a log line", () => {
  it("is one JSON object with level, time, fields and message, on disk when the call returns", async () => {
    open().info({ containerID: "c1", ifName: "eth0" }, "attached");
    const [line] = await lines();
    expect(line).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      containerID: "c1",
      ifName: "eth0",
      msg: "attached",
    });
  });

  it("of a child holds the child's fields", async () => {
    open().child({ requestId: "r1" }).child({ command: "ADD" }).warn({ network: "n" }, "slow");
    expect(await lines()).toMatchObject([{ level: "warn", requestId: "r1", command: "ADD", network: "n" }]);
  });

  it.each(["config", "stdin", "token", "Config", "rawText"])(
    "never holds what is named %s, at any depth",
    async (name) => {
      const log = open().child({ [name]: "s3cret" });
      log.error({ [name]: { a: "s3cret" }, request: { list: [{ [name]: "s3cret" }] } }, "failed");
      expect(await text()).not.toContain("s3cret");
      expect(await text()).toContain("[redacted]");
    },
  );

  it("tells an error with its codes and causes, and where an unexpected one was thrown", async () => {
    const cause = Object.assign(new Error("ENOSPC: no space"), { code: "ENOSPC" });
    const log = open();
    log.error(
      { err: new Failure("storage-failed", "state cannot be written", { code: 5, cause }) },
      "failed",
    );
    log.error({ err: new TypeError("not a function") }, "bug");
    expect(await lines()).toMatchObject([
      {
        err: {
          type: "Failure",
          message: "state cannot be written",
          failureClass: "storage-failed",
          code: 5,
          cause: { type: "Error", code: "ENOSPC", message: "ENOSPC: no space" },
        },
      },
      { err: { type: "TypeError", stack: expect.stringContaining("create-logger.test.ts") } },
    ]);
    expect((await lines())[0]).not.toHaveProperty("err.stack");
  });

  it("does not repeat the piece of a configuration that JSON.parse quotes", async () => {
    let thrown: unknown;
    try {
      JSON.parse('{"password": s3cret}');
    } catch (error) {
      thrown = error;
    }
    open().error({ err: thrown }, "failed");
    expect(await text()).not.toContain("s3cret");
    expect(await lines()).toMatchObject([{ err: { type: "SyntaxError" } }]);
  });

  it("survives every kind of value", async () => {
    const circular: Record<string, unknown> = { big: 2n ** 64n, when: new Date(0), raw: Buffer.from("x") };
    circular["self"] = circular;
    open().info(circular, "odd");
    expect(await lines()).toMatchObject([
      { big: "18446744073709551616", when: "1970-01-01T00:00:00.000Z", raw: "[1 bytes]", msg: "odd" },
    ]);
  });

  it("is of bounded length, whatever a plugin said", async () => {
    const cause = new Error("y".repeat(1_000_000));
    open().error({ text: "x".repeat(8_000_000), list: Array(10_000).fill("z"), err: cause }, "flood");
    expect((await text()).length).toBeLessThan(20_000);
  });

  it("stops at the sixth cause of a chain without end", async () => {
    const loop = new Error("loop");
    loop.cause = loop;
    open().error({ err: loop }, "failed");
    expect(await text()).toContain("further causes left out");
  });
});

describe("the level", () => {
  it.each([
    ["panic", []],
    ["error", ["error"]],
    ["warning", ["error", "warn"]],
    ["verbose", ["error", "warn", "info"]],
    ["info", ["error", "warn", "info"]],
    ["debug", ["error", "warn", "info", "debug"]],
  ] as const)("%s lets through %j", async (level, expected) => {
    const log = open(level);
    for (const name of ["error", "warn", "info", "debug"] as const) log[name]({}, "said");
    expect((await lines()).map((line) => line["level"])).toEqual(expected);
  });

  it("changes at once, for children that were made before", async () => {
    const log = open("error");
    const child = log.child({});
    child.debug({}, "one");
    log.setLevel("debug");
    child.debug({}, "two");
    log.setLevel("panic");
    child.error({}, "three");
    expect((await lines()).map((line) => line["msg"])).toEqual(["two"]);
  });
});

describe("the file", () => {
  it("is for its owner only", async () => {
    open().info({}, "said");
    expect((await stat(join(directory, "sub", "multusd.log"))).mode & 0o777).toBe(0o600);
  });

  it("is gone on with, not emptied", async () => {
    open().info({}, "one");
    await logger?.stop();
    open().info({}, "two");
    expect((await lines()).map((line) => line["msg"])).toEqual(["one", "two"]);
  });

  it("is renamed when it is full, and only so many are kept", async () => {
    const log = open("info", { maxSizeMb: 1, maxBackups: 2 });
    // 4 KiB a line: over 1 MiB four times.
    for (let line = 0; line < 1100; line += 1) {
      log.info({ text: "x".repeat(4000), line }, "filling");
    }
    await log.stop();
    const names = await readdir(join(directory, "sub"));
    expect(names.filter((name) => name !== "multusd.log")).toHaveLength(2);
    for (const name of names)
      expect((await stat(join(directory, "sub", name))).size).toBeLessThanOrEqual(1024 * 1024);
  });

  it("is compressed once it is rotated, without a line lost", async () => {
    const log = open("info", { maxSizeMb: 1, maxBackups: 0, compress: true });
    for (let line = 0; line < 600; line += 1) log.info({ text: "x".repeat(4000), line }, "filling");
    await log.stop();
    const folder = join(directory, "sub");
    const names = (await readdir(folder)).toSorted();
    expect(names.some((name) => name.endsWith(".log.gz"))).toBe(true);
    const texts = await Promise.all(
      names.map(async (name) => {
        const bytes = await readFile(join(folder, name));
        return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
      }),
    );
    const numbers = texts.flatMap((content) => content.match(/"line":\d+/g) ?? []);
    expect(new Set(numbers).size).toBe(600);
  });

  it("leaves files of others alone", async () => {
    const log = open("info", { maxSizeMb: 1, maxBackups: 1 });
    log.info({}, "one");
    await writeFile(join(directory, "sub", "multusd-notes.log"), "mine");
    for (let line = 0; line < 800; line += 1) log.info({ text: "x".repeat(4000) }, "filling");
    await log.stop();
    expect(await readdir(join(directory, "sub"))).toContain("multusd-notes.log");
  });

  it("that cannot be opened costs no line and no exception", async () => {
    await writeFile(join(directory, "sub"), "a file where a directory should be");
    const log = open();
    log.info({}, "said on stderr instead");
    await waitFor("nothing", () => true);
    expect(await readdir(directory)).toEqual(["sub"]);
  });
});
