import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createManifestSource, type ManifestSource } from "../../../src/manifests/create-manifest-source.ts";
import { definitionManifest, podManifest, writeManifest } from "../../support/manifests.ts";
import { RecordingLog } from "../../support/recording-log.ts";
import { waitFor } from "../../support/wait-for.ts";

const alive = new AbortController().signal;
/** No rescan within a test: what is seen was looked for, or told by the watch. */
const never = { rescanMs: 600_000 };

let directory = "";
let source: ManifestSource | undefined;
let log = new RecordingLog();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "multusd-source-"));
  log = new RecordingLog();
});
afterEach(async () => {
  await source?.stop();
  source = undefined;
  await rm(directory, { recursive: true, force: true });
});

async function open(
  path = directory,
  options: { readonly rescanMs?: number } = never,
): Promise<ManifestSource> {
  source = await createManifestSource(path, log, options);
  return source;
}

function net(config: string | object): object {
  return definitionManifest({ name: "net", config });
}

async function configOf(opened: ManifestSource, name = "net"): Promise<string | undefined> {
  return (await opened.findDefinition("default", name, alive))?.config;
}

function problemTexts(opened: ManifestSource): readonly string[] {
  return opened
    .problems()
    .map(({ file, line, message }) => `${file.slice(directory.length + 1)}:${line} ${message}`);
}

describe("a manifest", () => {
  it("that is rewritten in place with the same size is seen by the next look-up", async () => {
    const opened = await open();
    for (const digit of ["1", "2", "3", "4"]) {
      await writeFile(join(directory, "net.json"), JSON.stringify(net(`{"v":${digit}}`)));
      expect(await configOf(opened)).toBe(`{"v":${digit}}`);
    }
  });

  it("with an old time that replaces another is seen", async () => {
    const opened = await open();
    const file = join(directory, "net.json");
    const long = new Date("2020-01-01T00:00:00Z");
    for (const digit of ["1", "2"]) {
      await writeFile(`${file}.tmp`, JSON.stringify(net(`{"v":${digit}}`)));
      await utimes(`${file}.tmp`, long, long);
      await rename(`${file}.tmp`, file);
      expect(await configOf(opened)).toBe(`{"v":${digit}}`);
    }
  });

  it("in a mounted ConfigMap is seen after the swap", async () => {
    for (const [name, value] of [
      ["..1", "old"],
      ["..2", "new"],
    ] as const) {
      await mkdir(join(directory, name));
      await writeFile(join(directory, name, "net.yaml"), JSON.stringify(net(value)));
    }
    await symlink("..1", join(directory, "..data"));
    await symlink("..data/net.yaml", join(directory, "net.yaml"));
    const opened = await open();
    expect(await configOf(opened)).toBe("old");
    await symlink("..2", join(directory, "..data_tmp"));
    await rename(join(directory, "..data_tmp"), join(directory, "..data"));
    expect(await configOf(opened)).toBe("new");
  });

  it.each([".hidden.yaml", "net.yaml.bak", "net.txt"])("named %s is none", async (name) => {
    await writeFile(join(directory, name), JSON.stringify(net("{}")));
    expect(await configOf(await open())).toBeUndefined();
  });

  it("that stands in two files counts in the later one, and the other is reported", async () => {
    await writeManifest(directory, "b.yaml", net("from b"));
    await writeManifest(directory, "a.yaml", net("from a"));
    const opened = await open();
    expect(await configOf(opened)).toBe("from b");
    expect(problemTexts(opened)).toEqual([
      `a.yaml:1 NetworkAttachmentDefinition default/net is replaced by ${directory}/b.yaml:1:1`,
    ]);
  });
});

describe("a bad manifest", () => {
  it("does not hide good ones, and is named with file, line and column", async () => {
    await writeManifest(directory, "bad.yaml", "kind: Pod\nx: }");
    await writeManifest(directory, "good.yaml", podManifest({ name: "web", uid: "u" }));
    const opened = await open();
    expect(await opened.findPod({ namespace: "default", name: "web" }, alive)).toMatchObject({ uid: "u" });
    expect(opened.problems()).toMatchObject([{ file: join(directory, "bad.yaml"), line: 2 }]);
    expect(log.lines.filter((line) => line.level === "warn")).toMatchObject([
      { fields: { file: join(directory, "bad.yaml"), line: 2 } },
    ]);
  });

  it("of a definition that never was good fails its look-up with file and position", async () => {
    await writeManifest(directory, "net.yaml", definitionManifest({ name: "other", config: "{}" }));
    await writeManifest(directory, "bad.json", { ...net("{}"), spec: { config: { type: "bridge" } } });
    const opened = await open();
    await expect(configOf(opened)).rejects.toMatchObject({
      failureClass: "invalid-configuration",
      message: expect.stringContaining(`${join(directory, "bad.json")}:10:`),
    });
    expect(await configOf(opened, "other")).toBe("{}");
  });

  it("leaves the form that was good before in use, and says so until it is mended", async () => {
    await writeManifest(directory, "net.yaml", net("good"));
    const opened = await open();
    expect(await configOf(opened)).toBe("good");
    await writeManifest(directory, "net.yaml", { ...net(""), spec: { config: 5 } });
    expect(await configOf(opened)).toBe("good");
    expect(problemTexts(opened)).toEqual([
      "net.yaml:10 NetworkAttachmentDefinition default/net: spec.config must be a string that holds JSON",
      "net.yaml:1 NetworkAttachmentDefinition default/net is used in the form that it had before this mistake",
    ]);
    await writeManifest(directory, "net.yaml", "{");
    expect(await configOf(opened)).toBe("good");
    await writeManifest(directory, "net.yaml", net("better"));
    expect(await configOf(opened)).toBe("better");
    expect(opened.problems()).toEqual([]);
  });

  it("is gone with its objects when its file is", async () => {
    await writeManifest(directory, "net.yaml", net("good"));
    const opened = await open();
    await writeManifest(directory, "net.yaml", "{");
    expect(await configOf(opened)).toBe("good");
    await rm(join(directory, "net.yaml"));
    expect(await configOf(opened)).toBeUndefined();
    expect(opened.problems()).toEqual([]);
  });

  it("gives way to a good one of the same name in another file", async () => {
    await writeManifest(directory, "a.yaml", net("good"));
    await writeManifest(directory, "b.yaml", { ...net(""), spec: [] });
    expect(await configOf(await open())).toBe("good");
  });

  it("may be a directory, too large, or not to be read", async () => {
    await mkdir(join(directory, "folder.yaml"));
    await writeFile(join(directory, "large.yaml"), " ".repeat(4 * 1024 * 1024 + 1));
    await symlink("loop.yaml", join(directory, "loop.yaml"));
    await writeManifest(directory, "net.yaml", net("good"));
    const opened = await open();
    expect(await configOf(opened)).toBe("good");
    expect(problemTexts(opened)).toEqual([
      "folder.yaml:1 is no regular file",
      "large.yaml:1 is larger than 4 MiB",
      "loop.yaml:1 cannot be read: ELOOP",
    ]);
  });

  it("is logged when it comes, without anyone looking it up", async () => {
    await open();
    await writeManifest(directory, "bad.yaml", "a: [");
    const line = await waitFor("the watch", () => log.lines.find((logged) => logged.level === "warn"), 5000);
    expect(line).toMatchObject({
      message: "manifest has a mistake",
      fields: { file: join(directory, "bad.yaml"), line: 1 },
    });
  });

  it("is logged once, not with each look", async () => {
    await writeManifest(directory, "bad.yaml", "a: [");
    const opened = await open();
    for (let look = 0; look < 5; look += 1) await configOf(opened);
    expect(log.lines.filter((line) => line.level === "warn")).toHaveLength(1);
  });
});

describe("a directory that does not exist", () => {
  it("is waited for: look-ups are not ready until it is there", async () => {
    const path = join(directory, "later");
    const opened = await open(path);
    expect(opened.gap()).toEqual({
      what: "manifests",
      detail: `manifest directory ${path} does not exist yet`,
    });
    await expect(configOf(opened)).rejects.toMatchObject({ failureClass: "not-ready" });
    await mkdir(path);
    await writeManifest(path, "net.yaml", net("good"));
    expect(await configOf(opened)).toBe("good");
    expect(opened.gap()).toBeUndefined();
  });

  it("is found without a look-up", async () => {
    const path = join(directory, "later");
    const opened = await open(path, { rescanMs: 20 });
    await mkdir(path);
    await waitFor("the rescan", () => opened.gap() === undefined, 5000);
    await writeManifest(path, "bad.yaml", "a: [");
    await waitFor("its watch", () => opened.problems().length === 1, 5000);
  });

  it("may be a file", async () => {
    await writeFile(join(directory, "file"), "");
    expect((await open(join(directory, "file"))).gap()?.detail).toContain("is no directory");
  });
});

describe("look-ups", () => {
  it("at the same time share their looks and still see what was written before them", async () => {
    const opened = await open();
    const found: (string | undefined)[] = [];
    for (let round = 0; round < 5; round += 1) {
      await writeManifest(directory, "net.yaml", net(`round ${round}`));
      found.push(...(await Promise.all(Array.from({ length: 50 }, async () => await configOf(opened)))));
    }
    expect(found).toEqual(Array.from({ length: 250 }, (_, index) => `round ${Math.floor(index / 50)}`));
  });

  it("do not wait when their caller has gone", async () => {
    const opened = await open();
    const caller = new AbortController();
    const looking = opened.findDefinition("default", "net", caller.signal);
    caller.abort(new Error("gone"));
    await expect(looking).rejects.toThrow("gone");
  });
});
