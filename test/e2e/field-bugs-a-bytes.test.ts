import { describe, expect, it } from "vitest";
import { definitionManifest } from "../support/manifests.ts";
import { network } from "../support/networks.ts";
import type { RecordedCall } from "../support/recorded-calls.ts";
import { type TestNode, useNode } from "../support/test-node.ts";
import { waitFor } from "../support/wait-for.ts";

/** Pieces that a parser, a number type or a printer could change, with keys that no CNI model knows. */
const pieces = [
  '"big":12345678901234567890',
  '"unsafe":9007199254740993',
  '"float":1.0',
  '"exponent":[1E2]',
  '"escaped":"\\u00e9"',
  '"unicode":"é"',
  '"slash":"a\\/b"',
  '"zz_custom":{"a":[1,{"b":2}]}',
  '"ipam":{"type":"fakeipam","pool":"x","deep":{"k":1}}',
  '"kubeconfig":"/etc/cni/x.kubeconfig"',
];

const plugin = `{"type":"alpha",  ${pieces.join(" ,\n ")} }`;

const forms = {
  "a list": `{"cniVersion":"1.0.0","name":"alpha-net","plugins":[${plugin}]}`,
  "a single plugin": plugin.replace("{", '{"cniVersion":"1.0.0","name":"alpha-net",'),
} as const;

/** Without the white space between tokens, which is not part of what was written. */
function compact(text: string): string {
  return text.replaceAll(/[ \n]/g, "");
}

function withoutPrevResult({ stdin }: RecordedCall): unknown {
  const { prevResult: _given, ...configuration } = JSON.parse(stdin) as Record<string, unknown>;
  return configuration;
}

async function callsOfAlpha(node: TestNode): Promise<readonly RecordedCall[]> {
  return await node.plugins.calls({ type: "alpha" });
}

describe.each(Object.keys(forms) as (keyof typeof forms)[])("a definition that holds %s", (form) => {
  it("A02: ADD, CHECK, DEL, a retry and the next daemon's retry give the plugin the same bytes", async () => {
    const node = await useNode({
      manifests: { "alpha.json": definitionManifest({ name: "alpha", config: forms[form] }) },
    });
    const sandbox = await node.sandbox({ networks: "alpha" });
    await sandbox.run("ADD");
    await node.manifest("alpha.json", network("alpha", { keys: { changed: "since then" } }));
    await sandbox.run("CHECK");
    await node.plugins.behave("alpha", "DEL", { code: 101 });
    await sandbox.run("DEL");
    await waitFor("a retry", async () => (await callsOfAlpha(node)).length >= 4);
    await node.daemon().kill();
    await node.plugins.restore("alpha", "DEL");
    await node.start();
    await waitFor("settlement", async () => (await node.plugins.held()).length === 0);

    const [added, ...later] = await callsOfAlpha(node);

    expect(later.length).toBeGreaterThanOrEqual(4);
    for (const call of [added, ...later]) {
      for (const piece of pieces) expect(compact(call?.stdin ?? "")).toContain(compact(piece));
    }
    for (const call of later) {
      expect(withoutPrevResult(call)).toEqual(JSON.parse(added?.stdin ?? ""));
      expect(JSON.parse(call.stdin)).toMatchObject({ prevResult: { interfaces: [{ name: "net1" }] } });
    }
  });
});
