import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  findNetworkList,
  loadNetworkListFile,
  NetworkListNotFoundError,
  NoNetworkListsError,
  networkListText,
  parseNetworkList,
} from "../../../src/cni/index.ts";
import { makeTemporaryDirectory } from "./temporary-directory.ts";

async function directoryWith(files: Readonly<Record<string, unknown>>): Promise<string> {
  const directory = await makeTemporaryDirectory();
  for (const [name, content] of Object.entries(files)) {
    const file = join(directory, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  }
  return directory;
}

const list = (name: string, more = {}) => ({
  cniVersion: "1.1.0",
  name,
  plugins: [{ type: "main" }],
  ...more,
});

describe("loading a list from a file", () => {
  it("case 1: refuses a list that has no plugins anywhere", async () => {
    const directory = await directoryWith({ "a.conflist": { name: "n" } });
    await expect(loadNetworkListFile(join(directory, "a.conflist"))).rejects.toThrow(
      "no plugin configs found",
    );
  });

  it("case 9: ignores the drop-in directory of a list that says so", async () => {
    const directory = await directoryWith({
      "a.conflist": list("n", { loadOnlyInlinedPlugins: true }),
      "n/10.conf": { type: "dropped" },
      "b.conflist": { name: "n", loadOnlyInlinedPlugins: true },
    });
    const loaded = await loadNetworkListFile(join(directory, "a.conflist"));
    expect(loaded.plugins.map(({ type }) => type)).toEqual(["main"]);
    await expect(loadNetworkListFile(join(directory, "b.conflist"))).rejects.toThrow("no 'plugins' key");
  });

  it("case 10: appends drop-in plugins sorted by file name and leaves the list's text alone", async () => {
    const text = JSON.stringify(list("n"));
    const directory = await directoryWith({
      "a.conflist": text,
      "n/20.conf": '{"type":"b20","n":1.0}',
      "n/10.conf": { type: "b10" },
      "n/x.json": { type: "no" },
      "n/y.conflist": { type: "no" },
      "n/d/1.conf": { type: "no" },
      "n/30.conf.bak": { type: "no" },
    });
    const loaded = await loadNetworkListFile(join(directory, "a.conflist"));
    expect(loaded.plugins.map(({ type }) => type)).toEqual(["main", "b10", "b20"]);
    expect(loaded.plugins[2]?.text).toBe('{"type":"b20","n":1.0}');
    expect(loaded.text).toBe(text);
  });

  it("deviation 25: reads a drop-in plugin as an element of a list, which it is where the list is kept", async () => {
    const directory = await directoryWith({
      "n.conflist": list("n"),
      "n/1.conf": '{"type":"lower","TYPE":"upper"}',
    });
    const loaded = await loadNetworkListFile(join(directory, "n.conflist"));

    expect(loaded.plugins.at(-1)?.type).toBe("lower");
    expect(parseNetworkList(networkListText(loaded)).plugins).toEqual(loaded.plugins);
  });

  it("case 11: fails for a drop-in plugin without type and names its file", async () => {
    const directory = await directoryWith({ "a.conflist": list("n"), "n/10.conf": {} });
    await expect(loadNetworkListFile(join(directory, "a.conflist"))).rejects.toMatchObject({
      message: "error parsing configuration: missing 'type'",
      details: `in ${join(directory, "n/10.conf")}`,
    });
  });

  it.each(["../evil", "", ".", "a/b", "a b"])(
    "case 15: refuses the name %j before it becomes a path",
    async (name) => {
      const directory = await directoryWith({ "d/a.conflist": list(name), "evil/1.conf": { type: "evil" } });
      await expect(loadNetworkListFile(join(directory, "d/a.conflist"))).rejects.toMatchObject({ code: 7 });
    },
  );

  it("says in Go's words that a file is missing or a directory", async () => {
    const directory = await makeTemporaryDirectory();
    const missing = join(directory, "a");
    await expect(loadNetworkListFile(missing)).rejects.toThrow(
      `error reading ${missing}: open ${missing}: no such file or directory`,
    );
    await expect(loadNetworkListFile(directory)).rejects.toThrow("is a directory");
  });

  it("does not wait for a device", async () => {
    await expect(loadNetworkListFile("/dev/zero")).rejects.toThrow("not a regular file");
  });
});

describe("finding a list by name", () => {
  it("case 12: is not hindered by a bad file, whichever sorts first", async () => {
    const directory = await directoryWith({
      "10-a.conflist": list("a"),
      "20-bad.conflist": "{",
      "25-empty.conflist": { name: "empty" },
      "30-c.conflist": list("c"),
    });
    expect((await findNetworkList(directory, "a")).name).toBe("a");
    expect((await findNetworkList(directory, "c")).name).toBe("c");
  });

  it("reports the bad files if no other has the name", async () => {
    const directory = await directoryWith({ "10-a.conflist": list("a"), "20-bad.conflist": "{\n" });
    const finding = findNetworkList(directory, "b");
    await expect(finding).rejects.toThrow(NetworkListNotFoundError);
    await expect(finding).rejects.toMatchObject({
      message: `no net configuration with name "b" in ${directory}`,
      unusable: [{ file: join(directory, "20-bad.conflist") }],
      details: `unusable files: error parsing configuration list: unexpected end of JSON input; in ${join(directory, "20-bad.conflist")}: line 2, column 1`,
    });
  });

  it("gives the error of the file that has the name, if it is the only one", async () => {
    const directory = await directoryWith({
      "a.conflist": list("a"),
      "a/1.conf": "{",
      "b.conflist": list("b"),
    });
    await expect(findNetworkList(directory, "a")).rejects.toThrow(
      "error parsing configuration: unexpected end",
    );
  });

  it("takes the next file of the name if the first cannot be used", async () => {
    const directory = await directoryWith({ "1.conflist": { name: "a" }, "2.conflist": list("a") });
    expect((await findNetworkList(directory, "a")).plugins).toHaveLength(1);
  });

  it("case 13: prefers a list to a single plugin, and makes a list of a single plugin", async () => {
    const single = { "a.conf": { name: "s", type: "single" } };
    const both = await directoryWith({ ...single, "z.conflist": list("s") });
    expect((await findNetworkList(both, "s")).plugins[0]?.type).toBe("main");
    const alone = await directoryWith(single);
    expect(await findNetworkList(alone, "s")).toMatchObject({
      cniVersion: "",
      plugins: [{ type: "single" }],
    });
  });

  it("case 14: tells an empty directory from one without the name", async () => {
    const empty = await makeTemporaryDirectory();
    await expect(findNetworkList(empty, "a")).rejects.toThrow(NoNetworkListsError);
    await expect(findNetworkList(join(empty, "none"), "a")).rejects.toThrow(NoNetworkListsError);
    const other = await directoryWith({ "b.conflist": list("b") });
    await expect(findNetworkList(other, "a")).rejects.toThrow(NetworkListNotFoundError);
    const misnamed = await directoryWith({ "a.conf": list("a") });
    await expect(findNetworkList(misnamed, "a")).rejects.toMatchObject({
      details: expect.stringContaining("missing 'type'"),
    });
  });

  it("counts links as files, and a dangling one as a bad file", async () => {
    const directory = await directoryWith({ "real/x": list("a") });
    await symlink(join(directory, "gone"), join(directory, "1.conflist"));
    await symlink(join(directory, "real/x"), join(directory, "2.conflist"));
    expect((await findNetworkList(directory, "a")).name).toBe("a");
  });
});
