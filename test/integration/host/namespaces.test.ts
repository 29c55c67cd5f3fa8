import { execFile } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { isSameNamespace } from "../../../src/attachments/sandbox.ts";
import { hostBinary, hostBuildMs } from "../../support/host-binary.ts";
import { makeNamespace, type TestNamespace } from "../../support/network-namespace.ts";
import { usePluginHost } from "../../support/use-plugin-host.ts";

const run = promisify(execFile);

beforeAll(async () => void (await hostBinary()), hostBuildMs);

async function useNamespace(name?: string): Promise<TestNamespace> {
  const namespace = await makeNamespace(name);
  onTestFinished(async () => await namespace.remove());
  return namespace;
}

describe("the identity of a namespace", () => {
  it("is the same each time it is asked for, and by any path", async () => {
    const { host, directory } = await usePluginHost();
    const { path } = await useNamespace();
    const link = join(directory, "link");
    await symlink(path, link);

    const identity = await host.namespaces.identify(path);

    expect(identity).toEqual({
      bootId: "boot-1",
      cookie: expect.stringMatching(/^\d+$/),
      device: expect.stringMatching(/^\d+$/),
      inode: expect.stringMatching(/^\d+$/),
    });
    expect(await host.namespaces.identify(path)).toEqual(identity);
    expect(await host.namespaces.identify(link)).toEqual(identity);
  });

  it("is another one for the next namespace at the same path, even with the same inode", async () => {
    const { host } = await usePluginHost();
    const first = await useNamespace();
    const before = await host.namespaces.identify(first.path);
    await first.remove();
    const second = await useNamespace(first.name);
    const after = await host.namespaces.identify(second.path);

    if (before === undefined || after === undefined) throw new Error("both are there");
    expect(isSameNamespace(before, after)).toBe(false);
  });

  it("does not exist for what is no network namespace, nor does asking wait", async () => {
    const { host, directory } = await usePluginHost();
    const file = join(directory, "file");
    await writeFile(file, "");
    const fifo = join(directory, "fifo");
    await run("mkfifo", [fifo]);
    const others = ["/proc/self/ns/mnt", "/proc/self/ns/pid", file, fifo, directory, `${file}/below`];
    for (const path of ["", "/nowhere", "/dev/null", `/${"x".repeat(5000)}`, ...others]) {
      expect(await host.namespaces.identify(path), path).toBeUndefined();
      expect(await host.namespaces.listLinks(path), path).toEqual([]);
    }
  });

  it("cannot be asked for by a path that no system call takes", async () => {
    const { host } = await usePluginHost();
    await expect(host.namespaces.identify("/a\0b")).rejects.toMatchObject({
      failureClass: "internal",
      cause: { code: "EINVAL" },
    });
    expect(await host.namespaces.identify("/nowhere")).toBeUndefined();
  });

  it("is found by the next multus-host when the first one dies meanwhile", async () => {
    const { host, pid } = await usePluginHost();
    const { path } = await useNamespace();
    process.kill(await pid(), "SIGKILL");
    expect(await host.namespaces.identify(path)).toBeDefined();
  });
});

describe("the links of a namespace", () => {
  it("are all there, with address, size and state", async () => {
    const { host } = await usePluginHost();
    const { path, name } = await useNamespace();
    await run("ip", [
      "-n",
      name,
      "link",
      "add",
      "eth0",
      "address",
      "0a:58:0a:00:00:01",
      "mtu",
      "1400",
      "type",
      "veth",
      "peer",
      "name",
      "peer0",
    ]);
    await run("ip", ["-n", name, "link", "set", "eth0", "up"]);

    const links = await host.namespaces.listLinks(path);

    const named = new Map(links.map((link) => [link.name, link]));
    expect([...named.keys()].sort()).toEqual(["eth0", "lo", "peer0"]);
    expect(named.get("lo")).toMatchObject({ index: 1, mac: "00:00:00:00:00:00", up: false });
    expect(named.get("eth0")).toMatchObject({ mac: "0a:58:0a:00:00:01", mtu: 1400, up: true });
    expect(named.get("peer0")?.up).toBe(false);
  });

  it("are all there when they are many", async () => {
    const { host } = await usePluginHost();
    const { path, name } = await useNamespace();
    const batch = Array.from(
      { length: 300 },
      (_, index) => `link add v${index} type veth peer name w${index}\n`,
    );
    const child = run("ip", ["-n", name, "-batch", "-"]);
    child.child.stdin?.end(batch.join(""));
    await child;

    expect(await host.namespaces.listLinks(path)).toHaveLength(601);
  });

  it("leave the host where it was", async () => {
    const { host, directory } = await usePluginHost();
    const { path } = await useNamespace();
    await host.namespaces.listLinks(path);
    await host.namespaces.identify(path);
    const script = join(directory, "where");
    await writeFile(script, "#!/bin/sh\nreadlink /proc/self/ns/net\n", { mode: 0o755 });

    const outcome = await host.executePlugin({
      path: script,
      env: { PATH: "/usr/bin:/bin" },
      stdin: "",
      timeoutMs: 5000,
      owner: "c",
    });

    const { stdout } = await run("readlink", ["/proc/self/ns/net"]);
    expect(outcome).toMatchObject({ output: { stdout } });
  });
});
