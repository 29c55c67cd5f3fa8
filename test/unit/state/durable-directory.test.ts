import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/attachments/failure.ts";
import { DurableDirectory } from "../../../src/state/durable-directory.ts";
import { SharedSync } from "../../../src/state/shared-sync.ts";
import { collect, temporaryDirectory } from "./state-fixture.ts";

async function durableDirectory() {
  const path = join(await temporaryDirectory(), "files");
  return { path, directory: new DurableDirectory(path) };
}

describe("DurableDirectory", () => {
  it("makes itself and its files for their owner alone", async () => {
    const { path, directory } = await durableDirectory();
    await directory.write("a", Buffer.from("x"));

    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect((await stat(join(path, "a"))).mode & 0o777).toBe(0o600);
  });

  it("replaces a file whole and leaves nothing else behind, however many write at once", async () => {
    const { path, directory } = await durableDirectory();
    const texts = Array.from({ length: 40 }, (_, n) => `${n}`.repeat(10_000));
    await Promise.all(texts.map((text) => directory.write("a", Buffer.from(text))));

    expect(texts).toContain(await readFile(join(path, "a"), "utf8"));
    await expect(readdir(path)).resolves.toEqual(["a"]);
  });

  it("writes names as long as the file system takes", async () => {
    const { directory } = await durableDirectory();
    const name = "n".repeat(255);
    await directory.write(name, Buffer.from("x"));

    await expect(collect(directory.names())).resolves.toEqual([name]);
  });

  it("passes over files in the making", async () => {
    const { path, directory } = await durableDirectory();
    await directory.write("a", Buffer.from("x"));
    await writeFile(join(path, ".a.1.1.tmp"), "half");

    await expect(collect(directory.names())).resolves.toEqual(["a"]);
  });

  it("lists nothing where it is gone, and makes itself again for the next write", async () => {
    const { path, directory } = await durableDirectory();
    await directory.write("a", Buffer.from("x"));
    await rm(path, { recursive: true });

    await expect(collect(directory.names())).resolves.toEqual([]);
    await directory.write("b", Buffer.from("y"));
    await expect(readdir(path)).resolves.toEqual(["b"]);
  });

  it("writes to the directory that is there, when another one took its place", async () => {
    const { path, directory } = await durableDirectory();
    await directory.write("a", Buffer.from("x"));
    await rename(path, `${path}.old`);
    await mkdir(path);
    await directory.write("b", Buffer.from("y"));
    await directory.write("c", Buffer.from("z"));

    expect((await readdir(path)).sort()).toEqual(["b", "c"]);
  });

  it("says whether there was something to remove", async () => {
    const { directory } = await durableDirectory();
    await directory.write("a", Buffer.from("x"));

    await expect(directory.remove("a")).resolves.toBe(true);
    await expect(directory.remove("a")).resolves.toBe(false);
  });

  it("names file, cause and remedy in a failure, and no word that a runtime takes for success", async () => {
    const path = join(await temporaryDirectory(), "gone", "files");
    const failed = await new DurableDirectory(path)
      .write("a", Buffer.from("x"))
      .catch((error: unknown) => error);

    expect(failed).toBeInstanceOf(Failure);
    expect(failed).toMatchObject({ failureClass: "storage-failed", details: `ENOENT at ${path}/a` });
    expect((failed as Failure).message).toContain(`cannot write ${path}/a: its directory is gone; restart`);
    expect((failed as Failure).message).not.toMatch(/not found|no such file or directory/i);
  });

  it("gives the same text for the same failure, so that a repeated event counts up", async () => {
    const path = join(await temporaryDirectory(), "gone", "files");
    const directory = new DurableDirectory(path);
    const [first, second] = await Promise.all(
      [1, 2].map(() => directory.write("a", Buffer.from("x")).catch((error: unknown) => error)),
    );

    expect(String(first)).toBe(String(second));
  });

  it("leaves the old file and no temporary one when a write fails", async () => {
    const { path, directory } = await durableDirectory();
    await mkdir(join(path, "a"), { recursive: true });

    await expect(directory.write("a", Buffer.from("x"))).rejects.toMatchObject({
      details: `EISDIR at ${path}/a`,
    });
    await expect(readdir(path)).resolves.toEqual(["a"]);
  });

  it("opens its descriptor again after it was closed", async () => {
    const { directory } = await durableDirectory();
    await directory.write("a", Buffer.from("x"));
    await directory.close();
    await directory.close();

    await expect(directory.write("b", Buffer.from("x"))).resolves.toMatchObject({ size: 1n });
  });
});

describe("SharedSync", () => {
  it("gives every caller a sync that began after its call, and a storm only two", async () => {
    const began: (() => void)[] = [];
    const shared = new SharedSync(() => new Promise((resolve) => began.push(resolve)));
    const order: string[] = [];
    const first = shared.run().then(() => order.push("first"));
    const later = [1, 2, 3].map(() => shared.run().then(() => order.push("later")));
    expect(began).toHaveLength(1);

    began[0]?.();
    await first;
    await new Promise((resolve) => setImmediate(resolve));
    expect(began).toHaveLength(2);
    expect(order).toEqual(["first"]);
    began[1]?.();
    await Promise.all(later);

    expect(began).toHaveLength(2);
  });

  it("tells a failure to its own callers alone", async () => {
    let runs = 0;
    const shared = new SharedSync(async () => {
      runs += 1;
      if (runs === 1) throw new Error("broken");
    });
    const first = shared.run();
    const second = shared.run();

    await expect(first).rejects.toThrow("broken");
    await expect(second).resolves.toBeUndefined();
  });
});
