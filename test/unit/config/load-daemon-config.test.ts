import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "../../../src/config/config-problem.ts";
import { loadDaemonConfig } from "../../../src/config/load-daemon-config.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "multusd-config-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function refusalOf(file: string): Promise<string> {
  const refusal = await loadDaemonConfig(file).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ConfigError);
  return refusal instanceof ConfigError ? refusal.message : "";
}

describe("loadDaemonConfig", () => {
  it("reads a file", async () => {
    const file = join(directory, "daemon-config.json");
    await writeFile(file, '{"logLevel": "debug"}');
    expect(await loadDaemonConfig(file)).toMatchObject({
      logLevel: "debug",
      rawText: '{"logLevel": "debug"}',
    });
  });

  it("names file and path in its error", async () => {
    const file = join(directory, "daemon-config.json");
    await writeFile(file, '{"logLevel": 5, "networks": 6}');
    const message = await refusalOf(file);
    expect(message).toContain(`${file}: /logLevel: must be one of`);
    expect(message).toContain("; /networks: must be an object");
  });

  it("refuses a file that is not there", async () => {
    expect(await refusalOf(join(directory, "none.json"))).toContain("/: cannot be read: ENOENT");
  });

  it("refuses a directory and a FIFO without waiting", async () => {
    await mkdir(join(directory, "folder"));
    execFileSync("/usr/bin/mkfifo", [join(directory, "fifo")]);
    expect(await refusalOf(join(directory, "folder"))).toContain("is no regular file");
    expect(await refusalOf(join(directory, "fifo"))).toContain("is no regular file");
  });

  it("takes a file of 1 MiB and refuses one byte more", async () => {
    const file = join(directory, "large.json");
    await writeFile(file, `{}${" ".repeat(1024 * 1024 - 2)}`);
    expect(await loadDaemonConfig(file)).toMatchObject({ logLevel: "info" });
    await writeFile(file, `{}${" ".repeat(1024 * 1024 - 1)}`);
    expect(await refusalOf(file)).toContain("/: is larger than 1 MiB");
  });
});
