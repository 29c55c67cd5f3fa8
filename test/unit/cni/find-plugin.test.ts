import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findPlugin } from "../../../src/cni/index.ts";
import { makeTemporaryDirectory } from "./temporary-directory.ts";

describe("case 33: looking for a plugin", () => {
  it.each([
    ["", ["/x"], "no plugin name provided"],
    ["a/b", ["/x"], "invalid plugin name: a/b"],
    ["bridge", [], "no paths provided"],
    ["..", ["/usr/lib"], 'failed to find plugin ".." in path [/usr/lib]'],
    ["nope", ["/nowhere", "/tmp"], 'failed to find plugin "nope" in path [/nowhere /tmp]'],
  ])("fails for %j in %j", async (type, searchPath, message) => {
    await expect(findPlugin(type, searchPath)).rejects.toMatchObject({
      name: "PluginNotFoundError",
      message,
      plugin: type,
      code: 7,
    });
  });

  it("takes the first regular file, executable or not, and passes over directories", async () => {
    const directory = await makeTemporaryDirectory();
    await mkdir(join(directory, "one", "b"), { recursive: true });
    await mkdir(join(directory, "two"));
    await mkdir(join(directory, "three"));
    await writeFile(join(directory, "two", "b"), "");
    await chmod(join(directory, "two", "b"), 0o644);
    await writeFile(join(directory, "three", "b"), "");
    const path = ["none", "one", "two", "three"].map((name) => join(directory, name));
    expect(await findPlugin("b", path)).toBe(join(directory, "two", "b"));
  });

  it("takes a link to a file but not a dangling one", async () => {
    const directory = await makeTemporaryDirectory();
    await writeFile(join(directory, "real"), "");
    await symlink("real", join(directory, "good"));
    await symlink("gone", join(directory, "bad"));
    expect(await findPlugin("good", [directory])).toBe(join(directory, "good"));
    await expect(findPlugin("bad", [directory])).rejects.toThrow("failed to find plugin");
  });

  it("goes on after a directory that cannot be searched", async () => {
    const directory = await makeTemporaryDirectory();
    await symlink("loop", join(directory, "loop"));
    await writeFile(join(directory, "b"), "");
    expect(await findPlugin("b", [join(directory, "loop"), directory])).toBe(join(directory, "b"));
  });
});

describe("looking for a plugin below a root directory", () => {
  it("gives the path as it is inside the root", async () => {
    const root = await makeTemporaryDirectory();
    await mkdir(join(root, "opt/cni/bin"), { recursive: true });
    await writeFile(join(root, "opt/cni/bin/b"), "");
    expect(await findPlugin("b", ["/opt/cni/bin"], root)).toBe("/opt/cni/bin/b");
  });

  it("follows absolute links from the root, and none out of it", async () => {
    const root = await makeTemporaryDirectory();
    await mkdir(join(root, "opt"));
    await mkdir(join(root, "real"));
    await writeFile(join(root, "real/b"), "");
    await symlink("/real", join(root, "opt/bin"));
    await symlink("/real/b", join(root, "real/absolute"));
    await symlink("../../../../../../real/b", join(root, "real/relative"));
    await symlink("/bin/sh", join(root, "real/outside"));
    expect(await findPlugin("b", ["/opt/bin"], root)).toBe("/opt/bin/b");
    expect(await findPlugin("absolute", ["/opt/bin"], root)).toBe("/opt/bin/absolute");
    expect(await findPlugin("relative", ["/opt/bin"], root)).toBe("/opt/bin/relative");
    await expect(findPlugin("outside", ["/opt/bin"], root)).rejects.toThrow("failed to find plugin");
  });

  it("gives up on links in a circle", async () => {
    const root = await makeTemporaryDirectory();
    await symlink("/two", join(root, "one"));
    await symlink("/one", join(root, "two"));
    await expect(findPlugin("b", ["/one"], root)).rejects.toThrow("failed to find plugin");
  });
});
