import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { read, repository, trackedFiles } from "./repository.ts";

const documents = trackedFiles().filter((file) => file.endsWith(".md"));

/** Links of a Markdown file to files of this repository, with the fragment. */
function localLinks(file: string): readonly string[] {
  const targets = [...read(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? "");
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** Headings as the fragments that a forge makes of them. */
function anchors(file: string): readonly string[] {
  return [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    (heading ?? "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function isBroken(file: string, link: string): boolean {
  const [path = "", fragment] = link.split("#");
  const target = path === "" ? file : join(dirname(file), path);
  if (!existsSync(join(repository, target))) return true;
  return fragment !== undefined && target.endsWith(".md") && !anchors(target).includes(fragment);
}

describe("documents", () => {
  it("every link leads to a file and a heading that are there", () => {
    const broken = documents.flatMap((file) =>
      localLinks(file)
        .filter((link) => isBroken(file, link))
        .map((link) => `${file}: ${link}`),
    );

    expect(broken).toEqual([]);
  });

  it("the README leads to every document", () => {
    const linked = localLinks("README.md").map((link) => link.split("#")[0]);
    const docs = documents.filter((file) => file.startsWith("docs/"));

    expect(docs.filter((file) => !linked.includes(file))).toEqual([]);
  });

  it("every make target that a document names is there", () => {
    const targets = [...read("Makefile").matchAll(/^([a-z0-9-]+):/gm)].map(([, name]) => name);
    const named = documents.flatMap((file) =>
      [...read(file).matchAll(/`(?:\w+=\S+ )*make ([a-z0-9-]+)/g)].map(([, name]) => name),
    );

    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !targets.includes(name))).toEqual([]);
  });

  it("every folder of src has its line in the architecture", () => {
    const text = read("docs/architecture.md");
    const folders = new Set(trackedFiles().flatMap((file) => /^src\/([^/]+)\//.exec(file)?.[1] ?? []));

    expect([...folders].filter((folder) => !text.includes(`\`${folder}/\``))).toEqual([]);
  });
});
