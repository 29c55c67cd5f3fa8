import { describe, expect, it } from "vitest";
import { parseManifest } from "../../../src/manifests/parse-manifest.ts";

async function namesOf(text: string): Promise<readonly string[]> {
  const { objects } = await parseManifest(text);
  return objects.map(({ name }) => `${name.kind} ${name.namespace}/${name.name}`);
}

async function problemsOf(text: string): Promise<readonly string[]> {
  const { problems } = await parseManifest(text);
  return problems.map(({ line, column, message }) => `${line}:${column}: ${message}`);
}

const pod = (name: string) => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n`;

describe("parseManifest", () => {
  it("reads several documents, comments and empty ones between them", async () => {
    expect(await namesOf(`# pods\n---\n${pod("a")}--- # next\n${pod("b")}\n---\n---\n# end\n`)).toEqual([
      "Pod default/a",
      "Pod default/b",
    ]);
  });

  it("reads JSON, also indented with tabs and with a byte order mark", async () => {
    const json = JSON.stringify(
      { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "n" } },
      null,
      "\t",
    );
    expect(await namesOf(json)).toEqual(["Pod n/a"]);
    expect(await namesOf(`\uFEFF${json}`)).toEqual(["Pod n/a"]);
  });

  it("reads CRLF and directives", async () => {
    expect(await namesOf(`%YAML 1.2\r\n---\r\n${pod("a").replaceAll("\n", "\r\n")}`)).toEqual([
      "Pod default/a",
    ]);
  });

  it("reads the items of a List, and those of a typed list that do not repeat their kind", async () => {
    const item = (name: string) => `{"metadata": {"name": "${name}"}}`;
    expect(
      await namesOf(`{"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}},
        {"apiVersion": "v1", "kind": "PodList", "items": [${item("b")}, ${item("c")}]}]}`),
    ).toEqual(["Pod default/a", "Pod default/b", "Pod default/c"]);
  });

  it("passes over kinds that it has no use for and names them", async () => {
    const parsed = await parseManifest(`apiVersion: v1\nkind: ConfigMap\n---\n${pod("a")}`);
    expect(parsed.ignoredKinds).toEqual(["ConfigMap"]);
    expect(parsed.problems).toEqual([]);
  });

  it.each(["", "\n\n", "# nothing\n", "---\n---\n"])("finds nothing in %j", async (text) => {
    expect(await parseManifest(text)).toEqual({ objects: [], broken: [], problems: [], ignoredKinds: [] });
  });

  it("keeps spec.config to the last byte", async () => {
    const text = `apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: net, namespace: a}
spec:
  config: |
    { "vlan": 12345678901234567890 }
`;
    const { objects } = await parseManifest(text);
    expect(objects[0]?.body).toEqual({
      kind: "NetworkAttachmentDefinition",
      definition: {
        namespace: "a",
        name: "net",
        annotations: {},
        config: '{ "vlan": 12345678901234567890 }\n',
      },
    });
  });

  it.each([
    [{}, false],
    [{ "kubernetes.io/config.source": "api" }, false],
    [{ "kubernetes.io/config.source": "file" }, true],
    [{ "kubernetes.io/config.source": "" }, true],
  ])("takes a pod with %j as static: %s", async (annotations, isStatic) => {
    const { objects } = await parseManifest(
      JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "a", annotations } }),
    );
    expect(objects[0]?.body).toMatchObject({ pod: { isStatic } });
  });
});

describe("a mistake", () => {
  it("hides no document before or after it, not even a text that was never closed", async () => {
    const text = `${pod("a")}---\nkind: Pod\nmetadata: {name: "b\n---\n${pod("c")}`;
    expect(await namesOf(text)).toEqual(["Pod default/a", "Pod default/c"]);
    expect(await problemsOf(text)).toHaveLength(1);
  });

  it("is reported with line and column of the file", async () => {
    expect(
      await problemsOf(`${pod("a")}---
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata:
  name: net
spec:
  config:
    type: bridge
---
apiVersion: v1
kind: Pod
metadata:
  name: b
  annotations:
    good: "yes"
    bad: 5
`),
    ).toEqual([
      "12:5: NetworkAttachmentDefinition default/net: spec.config must be a string that holds JSON",
      "20:10: Pod default/b: annotation bad must be a string: put it in quotes",
    ]);
  });

  it.each([
    ["- a\n", "1:1: must be an object with apiVersion, kind and metadata"],
    ["just text\n", "1:1: must be an object"],
    ["metadata: {name: a}\n", "1:1: kind must be a string"],
    ["kind: Pod\napiVersion: v1\n", "1:1: Pod: metadata.name must be"],
    ["kind: Pod\napiVersion: v1\nmetadata: {name: A_b}\n", "3:11: Pod: metadata.name must be"],
    ["kind: Pod\napiVersion: v1\nmetadata: {name: ../x}\n", "3:11: Pod: metadata.name must be"],
    ["kind: Pod\napiVersion: v2\nmetadata: {name: a}\n", "2:13: Pod default/a: apiVersion must be v1"],
    ["kind: Pod\napiVersion: v1\nmetadata: {name: a, uid: 5}\n", "3:26: Pod default/a: metadata.uid must be"],
    ["kind: Pod\napiVersion: v1\nmetadata: {name: a, annotations: []}\n", "metadata.annotations must be"],
    ["a: 1\na: 2\n", "2:1: is no YAML: a key comes twice"],
    ["a: [1, 2\n", "is no YAML: "],
    [
      "a: &a [x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\n",
      "Excessive alias count",
    ],
  ])("in %j is named", async (text, expected) => {
    const problems = await problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(expected);
  });

  it.each([
    ["deep brackets", "[".repeat(20_000)],
    ["deep sequences", "- ".repeat(20_000)],
    ["anchors", "&a ".repeat(20_000)],
    ["a megabyte of YAML", `a: "${"x".repeat(1024 * 1024)}"`],
  ])("of the kind `%s` ends soon, and is one problem", async (_name, text) => {
    expect(await problemsOf(text)).toHaveLength(1);
  });

  it("takes no time that grows with the square of a map", async () => {
    const annotations = Array.from({ length: 10_000 }, (_, index) => `    k${index}: "1"\n`).join("");
    const start = performance.now();
    expect(await namesOf(`${pod("a")}  annotations:\n${annotations}`)).toHaveLength(1);
    expect(performance.now() - start).toBeLessThan(4000);
  });

  it("in JSON is located, too", async () => {
    const text = JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "a", uid: 5 } }, null, 1);
    expect(await problemsOf(`---\n${text}`)).toEqual(["7:10: Pod default/a: metadata.uid must be a string"]);
    expect(await problemsOf(`{"kind": "Pod"} x`)).toHaveLength(1);
  });

  it("is laid to the object that it was meant to be, as far as that can be read", async () => {
    const { broken } = await parseManifest(
      "apiVersion: k8s.cni.cncf.io/v1\nkind: NetworkAttachmentDefinition\nmetadata: {name: net, namespace: a}\nspec:\n  config: '{\n",
    );
    expect(broken).toMatchObject([
      { name: { kind: "NetworkAttachmentDefinition", namespace: "a", name: "net" } },
    ]);
  });

  it("does not let other work wait for a large file", async () => {
    const text = Array.from({ length: 500 }, (_, index) => `---\n${pod(`p${index}`)}`).join("");
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const { objects } = await parseManifest(text);
    clearInterval(timer);
    expect(objects).toHaveLength(500);
    expect(turns).toBeGreaterThan(2);
  });
});
