import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { DurableDirectory } from "../../../src/state/durable-directory.ts";
import { type CorruptFile, Quarantine } from "../../../src/state/quarantine.ts";
import { FileSandboxStore } from "../../../src/state/sandbox-store.ts";
import { sandboxRecord } from "./standard-records.ts";
import { temporaryDirectory } from "./state-fixture.ts";

const run = promisify(execFile);
const key = { containerId: "c1", ifName: "eth0" };

async function storeWithRecord() {
  const path = await temporaryDirectory();
  const corrupt: CorruptFile[] = [];
  const quarantine = new Quarantine(join(path, "quarantine"), (found) => corrupt.push(found));
  const store = new FileSandboxStore(new DurableDirectory(join(path, "sandboxes")), quarantine);
  await store.save(sandboxRecord());
  return { store, corrupt, file: join(path, "sandboxes", "c1.json") };
}

function sealed(body: string): string {
  const hash = createHash("sha256").update(body).digest("hex");
  return `{"kind":"multusd.sandbox","version":1,"sha256":"${hash}","body":${body}}\n`;
}

const good = sandboxRecord();

/** What was done to a file, and how the reason begins. */
const contents: readonly (readonly [what: string, reason: string, content: () => string | Buffer])[] = [
  ["0 bytes", "empty", () => ""],
  ["4 KiB of NUL", "not an envelope", () => Buffer.alloc(4096)],
  ["null", "not an envelope", () => "null"],
  ["an empty list", "not an envelope", () => "[]"],
  ["an empty object", "not an envelope", () => "{}"],
  ["20 MiB of noise", "too large", () => randomBytes(20 * 1024 * 1024)],
  ["15 MiB of noise", "not an envelope", () => randomBytes(15 * 1024 * 1024)],
  ["a body that is null", "the record is not", () => sealed("null")],
  ["a body that is a list", "the record is not", () => sealed("[]")],
  ["a body of another shape", "containerId is not", () => sealed('{"entries":[]}')],
  ["another container's record", "containerId is not", () => sealed('{"containerId":"c2","entries":[]}')],
  ["a body that is no JSON", "not JSON", () => sealed("{,}")],
  ["a body that is no UTF-8", "not JSON", () => noUtf8()],
  ["an entry of another shape", "entries[0].netns is not", () => withEntry({ ...good, netns: 5 })],
  ["an entry of an unknown state", "entries[0].state is not", () => withEntry({ ...good, state: "x" })],
  ["a time that is no number", "entries[0].generation.startNs", () => withEntry(badGeneration)],
  [
    "an unreadable identity",
    "entries[0].netnsIdentity is not",
    () => withEntry({ ...good, netnsIdentity: 1 }),
  ],
  ["an envelope that was formatted by hand", "not an envelope", () => JSON.stringify({ kind: "x" }, null, 2)],
  ["a record of another kind", "of another kind", () => sealed("{}").replace("sandbox", "deletion")],
  ["a changed byte", "does not match its hash", () => withEntry(good).replace("netns/x", "netns/y")],
];

const badGeneration = { ...good, generation: { bootId: "b", startNs: "1e9" } };

function withEntry(entry: object): string {
  return sealed(JSON.stringify({ containerId: "c1", entries: [entry] }));
}

function noUtf8(): Buffer {
  const body = Buffer.concat([Buffer.from('{"containerId":"'), Buffer.from([0xff]), Buffer.from('"}')]);
  const hash = createHash("sha256").update(body).digest("hex");
  const head = Buffer.from(`{"kind":"multusd.sandbox","version":1,"sha256":"${hash}","body":`);
  return Buffer.concat([head, body, Buffer.from("}\n")]);
}

describe("an unreadable record", () => {
  it.each(contents)("that holds %s is moved away and counted", async (_what, reason, content) => {
    const { store, corrupt, file } = await storeWithRecord();
    await writeFile(file, content());

    await expectQuarantined(store, corrupt, file, reason);
  });

  it("that was cut off anywhere is moved away and counted", async () => {
    const { store, corrupt, file } = await storeWithRecord();
    const whole = (await readFile(file)).length;
    for (const length of [1, 50, 150, 400, whole - 2]) {
      await store.save(sandboxRecord());
      await truncate(file, length);
      corrupt.length = 0;
      await expectQuarantined(store, corrupt, file, "");
    }
  });

  it("whose owner may not read it is unreadable for root as well", async () => {
    const { store, corrupt, file } = await storeWithRecord();
    await chmod(file, 0);

    await expectQuarantined(store, corrupt, file, "no permission");
  });

  it("in whose place is a directory with something in it is moved away with it", async () => {
    const { store, corrupt, file } = await storeWithRecord();
    await rm(file);
    await mkdir(join(file, "deeper"), { recursive: true });

    const quarantined = await expectQuarantined(store, corrupt, file, "a directory");
    expect((await lstat(join(quarantined, "deeper"))).isDirectory()).toBe(true);
  });

  it("in whose place is a link is not followed, wherever that leads", async () => {
    for (const target of ["c1.json", "/dev/zero", "/etc/passwd", "nowhere"]) {
      const { store, corrupt, file } = await storeWithRecord();
      await rm(file);
      await symlink(target, file);

      await expectQuarantined(store, corrupt, file, "a symbolic link");
    }
  });

  it("in whose place is a pipe that nobody writes to is not waited for", async () => {
    const { store, corrupt, file } = await storeWithRecord();
    await rm(file);
    await run("mkfifo", [file]);

    await expectQuarantined(store, corrupt, file, "not a regular file");
  });

  it("in whose place is a socket is moved away", async () => {
    const { store, corrupt, file } = await storeWithRecord();
    await rm(file);
    const server = createServer().listen(file);
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    await new Promise((resolve) => server.once("listening", resolve));

    await expectQuarantined(store, corrupt, file, "not a regular file");
  });

  it("in whose place is a device is not opened", async (context) => {
    const { store, corrupt, file } = await storeWithRecord();
    await rm(file);
    await run("mknod", [file, "c", "1", "5"]).catch(() => context.skip("needs root to make a device"));

    await expectQuarantined(store, corrupt, file, "not a regular file");
  });

  it("is saved over although a directory stands in its place and nobody looked since", async () => {
    const { store, corrupt, file } = await storeWithRecord();
    await rm(file);
    await mkdir(file);
    await store.save(sandboxRecord());

    await expect(store.load(key)).resolves.toMatchObject({ kind: "entry" });
    expect(corrupt).toMatchObject([{ kind: "sandbox", reason: "a directory" }]);
  });

  it("is reported and left alone where it cannot be moved, and nothing fails over it", async () => {
    const path = await temporaryDirectory();
    const corrupt: CorruptFile[] = [];
    await writeFile(join(path, "quarantine"), "in the way");
    const quarantine = new Quarantine(join(path, "quarantine"), (found) => corrupt.push(found));
    const store = new FileSandboxStore(new DurableDirectory(join(path, "sandboxes")), quarantine);
    await store.save(sandboxRecord());
    const file = join(path, "sandboxes", "c1.json");
    await writeFile(file, "");

    await expect(store.load(key)).resolves.toMatchObject({ kind: "unreadable", quarantined: file });
    expect(corrupt).toMatchObject([{ kind: "sandbox", file, reason: "empty", cause: { code: "ENOTDIR" } }]);
    expect(corrupt[0]).not.toHaveProperty("quarantined");
  });
});

async function expectQuarantined(
  store: FileSandboxStore,
  corrupt: readonly CorruptFile[],
  file: string,
  reason: string,
): Promise<string> {
  const found = await store.load(key);
  if (found.kind !== "unreadable") expect.unreachable(`found ${found.kind}`);
  expect(found.reason.slice(0, reason.length)).toBe(reason);
  expect(corrupt).toMatchObject([
    { kind: "sandbox", file, reason: found.reason, quarantined: found.quarantined },
  ]);
  await expect(lstat(found.quarantined)).resolves.toBeDefined();
  await expect(store.load(key)).resolves.toEqual({ kind: "missing" });
  return found.quarantined;
}
