import { chmod, lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SocketLoss } from "../../../src/server/owned-socket.ts";
import { SocketError } from "../../../src/server/socket-errors.ts";
import { waitFor } from "../../support/wait-for.ts";
import { RawClient, serveOnSocket, temporaryDirectory } from "./serving.ts";

const health = "GET /healthz HTTP/1.1\r\nhost: dummy\r\n\r\n";

async function isAlive(path: string): Promise<boolean> {
  const client = new RawClient(path).write(health);
  return await waitFor("an answer", () => client.statuses.includes("200") || client.isClosed).then(() =>
    client.statuses.includes("200"),
  );
}

async function modeOf(path: string): Promise<number> {
  return (await lstat(path)).mode & 0o777;
}

describe("the socket", () => {
  it("is 0600 in a directory 0700 that is made where there is none", async () => {
    const directory = join(await temporaryDirectory(), "run", "multus");

    const { path } = await serveOnSocket(directory);

    expect(path).toBe(join(directory, "multus.sock"));
    expect([await modeOf(directory), await modeOf(path)]).toEqual([0o700, 0o600]);
    expect(await readdir(directory)).toEqual(["multus.sock"]);
    expect(await isAlive(path)).toBe(true);
  });

  it("leaves a directory and what is in it as it was", async () => {
    const directory = await temporaryDirectory();
    await chmod(directory, 0o755);
    await writeFile(join(directory, "other"), "x");

    const { close } = await serveOnSocket(directory);
    await close();

    expect(await readdir(directory)).toEqual(["other"]);
    expect(await modeOf(directory)).toBe(0o755);
  });

  it("takes the place of a dead daemon's socket", async () => {
    const directory = await temporaryDirectory();
    const dead = await serveOnSocket(directory);
    // As after kill -9: the file stays, nobody listens.
    dead.server.app.server.close();

    const { path } = await serveOnSocket(directory);

    expect(await isAlive(path)).toBe(true);
  });

  it.each([
    ["a file", async (path: string) => await writeFile(path, "precious")],
    ["a directory", async (path: string) => void (await mkdir(path))],
    ["a link", async (path: string) => await symlink("/nowhere", path)],
  ])("does not touch %s in its place", async (_what, put) => {
    const directory = await temporaryDirectory();
    const path = join(directory, "multus.sock");
    await put(path);
    const before = await lstat(path);

    await expect(serveOnSocket(directory)).rejects.toThrow(SocketError);

    expect((await lstat(path)).ino).toBe(before.ino);
    expect(await readdir(directory)).toEqual(["multus.sock"]);
  });

  it.each([
    ["is a file", "file"],
    ["lies below a file", "file/multus"],
  ])("says so if its directory %s", async (_what, name) => {
    const base = await temporaryDirectory();
    await writeFile(join(base, "file"), "precious");

    await expect(serveOnSocket(join(base, name))).rejects.toThrow(/^socketDir|^socket directory/);

    expect(await readFile(join(base, "file"), "utf8")).toBe("precious");
  });

  it("says so if its path is too long for a socket", async () => {
    const directory = join(await temporaryDirectory(), "d".repeat(100));

    await expect(serveOnSocket(directory)).rejects.toThrow(/longer than 107 bytes/);
  });

  it("works up to the longest path that a socket can have", async () => {
    const base = await temporaryDirectory();
    const directory = join(base, "d".repeat(107 - base.length - "//multus.sock".length));

    const { path } = await serveOnSocket(directory);

    expect(path).toHaveLength(107);
    expect(await isAlive(path)).toBe(true);
  });
});

describe("taking over", () => {
  it("puts the successor in the place while the predecessor still serves its connections", async () => {
    const directory = await temporaryDirectory();
    const old = await serveOnSocket(directory);
    const connected = new RawClient(old.path).write(health);
    await waitFor("first answer", () => connected.statuses.length === 1);
    const losses: SocketLoss[] = [];
    old.socket.watch((loss) => losses.push(loss));

    const successor = await serveOnSocket(directory);

    const noticed = performance.now();
    await waitFor("the predecessor to notice", () => losses.length > 0);
    expect(performance.now() - noticed).toBeLessThan(1_000);
    expect(losses).toEqual(["replaced"]);
    connected.write(health);
    await waitFor("second answer", () => connected.statuses.length === 2);
    await old.close();
    expect(await isAlive(successor.path)).toBe(true);
  });

  it("has no moment without a socket", async () => {
    const directory = await temporaryDirectory();
    const first = await serveOnSocket(directory);
    let failures = 0;
    let done = false;
    const knocking = (async () => {
      while (!done) if (!(await isAlive(first.path))) failures += 1;
    })();

    for (let generation = 0; generation < 5; generation += 1) await serveOnSocket(directory);
    done = true;
    await knocking;

    expect(failures).toBe(0);
  });

  it("notices that the file was removed", async () => {
    const { socket, path } = await serveOnSocket();
    const losses: SocketLoss[] = [];
    socket.watch((loss) => losses.push(loss));

    await rm(path);

    await waitFor("the loss", () => losses.length > 0);
    expect(losses).toEqual(["removed"]);
  });

  it("does not remove what somebody else put in the place", async () => {
    const { close, path } = await serveOnSocket();
    await rm(path);
    await writeFile(path, "mine");

    await close();

    expect(await readFile(path, "utf8")).toBe("mine");
  });
});
