import { describe, expect, it } from "vitest";
import { policyAnnotation } from "../../../src/attachments/network-selection.ts";
import { list, policy } from "../../support/domain-rig.ts";
import { type Cluster, pod, useCluster } from "../../support/fake-cluster.ts";

describe("the policy of a network", () => {
  async function everywhere() {
    const cluster = await useCluster({ delegates: [list("prim", ["a"])], delErrorPolicy: "lenient" });
    cluster.networks = { "ns/one": { delErrorPolicy: policy("strict", { firstAttempt: "inline" }) } };
    cluster.define(
      "ns/one",
      { ...list("one-net", ["a"]), delErrorPolicy: "deferred" },
      { [policyAnnotation]: "strict" },
    );
    cluster.namespaces.set("ns", { [policyAnnotation]: '{"mode":"strict"}' });
    return cluster;
  }

  async function policyOfOne(cluster: Cluster) {
    const { policy: resolved } = (await cluster.choose(pod("one")))[1] ?? {};
    return [resolved?.policy.mode, resolved?.source];
  }

  it("is that of the first place that has one", async () => {
    const cluster = await everywhere();
    expect(await policyOfOne(cluster)).toEqual(["strict", "daemon-networks"]);

    cluster.networks = { "one-net": { delErrorPolicy: policy("lenient") } };
    expect(await policyOfOne(cluster)).toEqual(["lenient", "daemon-networks"]);

    cluster.networks = {};
    expect(await policyOfOne(cluster)).toEqual(["strict", "definition"]);

    cluster.define("ns/one", { ...list("one-net", ["a"]), delErrorPolicy: "deferred" });
    expect(await policyOfOne(cluster)).toEqual(["deferred", "network-configuration"]);

    cluster.define("ns/one", list("one-net", ["a"]));
    expect(await policyOfOne(cluster)).toEqual(["strict", "namespace"]);

    cluster.namespaces.clear();
    expect(await policyOfOne(cluster)).toEqual(["lenient", "multus-configuration"]);

    cluster.keys = { delegates: [list("prim", ["a"])] };
    expect(await policyOfOne(cluster)).toEqual(["deferred", "default"]);
  });

  it("of a single plugin stands beside it, by its place", async () => {
    const cluster = await useCluster();
    cluster.define("ns/one", {
      cniVersion: "1.0.0",
      name: "n",
      plugins: [{ type: "a" }, { type: "b", delErrorPolicy: { mode: "strict" } }],
    });

    expect((await cluster.choose(pod("one")))[1]).toMatchObject({
      policy: { source: "default" },
      pluginPolicies: { 1: { policy: { mode: "strict" }, source: "plugin-configuration" } },
    });
  });

  it.each([
    ["annotation", { annotation: "sometimes" }, /annotation multusd\.io\/del-error-policy: must be/],
    [
      "list",
      { list: { mode: "strict", retry: { initial: "x" } } },
      /ns\/one: delErrorPolicy.retry.initial: must be/,
    ],
    ["plugin", { plugin: { modus: "strict" } }, /plugins\[0\]\.delErrorPolicy.modus: unknown/],
  ])(
    "that is wrong in the %s is refused at ADD, and the error names the key",
    async (_where, wrong: Record<string, unknown>, message) => {
      const cluster = await useCluster();
      const plugins = [
        { type: "a", ...(wrong["plugin"] === undefined ? {} : { delErrorPolicy: wrong["plugin"] }) },
      ];
      const own = wrong["list"] === undefined ? {} : { delErrorPolicy: wrong["list"] };
      const annotations =
        wrong["annotation"] === undefined ? {} : { [policyAnnotation]: String(wrong["annotation"]) };
      cluster.define("ns/one", { cniVersion: "1.0.0", name: "n", plugins, ...own }, annotations);

      const chosen = cluster.choose(pod("one"));

      await expect(chosen).rejects.toMatchObject({ failureClass: "invalid-configuration" });
      await expect(chosen).rejects.toThrow(message);
    },
  );
});
