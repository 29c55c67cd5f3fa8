import { describe, expect, it } from "vitest";
import { list } from "../../support/domain-rig.ts";
import { pod, useCluster } from "../../support/fake-cluster.ts";

function namesOf(chosen: readonly { readonly network: string }[]): readonly string[] {
  return chosen.map(({ network }) => network);
}

describe("the primary network", () => {
  it("is the configured delegates, all of them in order", async () => {
    const cluster = await useCluster({
      delegates: [list("one", ["a"]), { cniVersion: "1.0.0", name: "two", type: "b" }],
    });

    expect(namesOf(await cluster.choose())).toEqual(["one", "two"]);
  });

  it("is a definition of that name in multusNamespace before a file of that name", async () => {
    const cluster = await useCluster({ clusterNetwork: "prim", multusNamespace: "system" });
    await cluster.file("10-prim.conflist", list("prim", ["file"]));
    expect(namesOf(await cluster.choose())).toEqual(["prim"]);

    cluster.define("system/prim", list("prim", ["definition"]));

    expect(await cluster.choose()).toMatchObject([
      { network: "system/prim", list: { plugins: [{ type: "definition" }] } },
    ]);
  });

  it("is a file by its path, or the first configuration of a directory", async () => {
    const cluster = await useCluster();
    await cluster.file("20-second.conflist", list("second", ["b"]));
    const path = await cluster.file("10-first.conflist", list("first", ["a"]));
    await cluster.file("05-notes.txt", {});

    cluster.keys = { clusterNetwork: path };
    expect(namesOf(await cluster.choose())).toEqual(["first"]);
    cluster.keys = { clusterNetwork: `${cluster.directory}/` };
    expect(namesOf(await cluster.choose())).toEqual(["first"]);
  });

  it.each([
    ["nowhere", "network-missing", /clusterNetwork "nowhere"/],
    ["/nowhere/at/all.conflist", "network-missing", /clusterNetwork "\/nowhere\/at\/all.conflist"/],
  ])(
    "fails as %s where it is not there, and names the key",
    async (clusterNetwork, failureClass, message) => {
      const cluster = await useCluster({ clusterNetwork });

      const chosen = cluster.choose();

      await expect(chosen).rejects.toMatchObject({ failureClass });
      await expect(chosen).rejects.toThrow(message);
    },
  );

  it("must be configured", async () => {
    const cluster = await useCluster({});

    await expect(cluster.choose()).rejects.toMatchObject({ failureClass: "invalid-configuration" });
  });

  it("is followed by defaultNetworks, except for pods of a system namespace", async () => {
    const cluster = await useCluster({
      clusterNetwork: "prim",
      defaultNetworks: ["extra"],
      systemNamespaces: ["kube-system", "ns-sys"],
    });
    cluster.define("kube-system/prim", list("prim", ["a"]));
    cluster.define("kube-system/extra", list("extra", ["b"]));

    expect(namesOf(await cluster.choose(pod()))).toEqual(["kube-system/prim", "kube-system/extra"]);
    expect(namesOf(await cluster.choose(pod(undefined, {}, "ns-sys")))).toEqual(["kube-system/prim"]);
    expect(namesOf(await cluster.chooseForCluster())).toEqual(["kube-system/prim", "kube-system/extra"]);
  });

  it("is what the pod's default-network annotation names, with the interface that it asks for", async () => {
    const cluster = await useCluster({ clusterNetwork: "prim" });
    cluster.define("kube-system/own", list("own", ["b"]));

    const chosen = await cluster.choose(pod(undefined, { "v1.multus-cni.io/default-network": "own@ext0" }));

    expect(chosen).toMatchObject([{ network: "kube-system/own", selection: { interface: "ext0" } }]);
  });

  it.each(["", "a,b"])("cannot be replaced by %j", async (value) => {
    const cluster = await useCluster();

    await expect(
      cluster.choose(pod(undefined, { "v1.multus-cni.io/default-network": value })),
    ).rejects.toThrow(/default-network: must name exactly one/);
  });
});

describe("the pod's networks", () => {
  it("come after the cluster's, in the order of the annotation, with what the pod wishes", async () => {
    const cluster = await useCluster();
    cluster.define("ns/one", list("", ["a"]));
    cluster.define("far/two", list("two-net", ["b"]));

    const chosen = await cluster.choose(
      pod('[{"name":"two","namespace":"far","mac":"02:00:00:00:00:01"},{"name":"one"}]'),
    );

    expect(chosen).toMatchObject([
      { network: "prim" },
      { network: "far/two", list: { name: "two-net" }, selection: { mac: "02:00:00:00:00:01" } },
      { network: "ns/one", list: { name: "one" } },
    ]);
  });

  it("are read from confDir by the definition's name where it has no configuration", async () => {
    const cluster = await useCluster();
    cluster.define("ns/one", "  ");
    await expect(cluster.choose(pod("one"))).rejects.toMatchObject({ failureClass: "network-missing" });

    await cluster.file("one.conflist", list("one", ["from-file"]));

    expect((await cluster.choose(pod("one")))[1]).toMatchObject({
      network: "ns/one",
      list: { plugins: [{ type: "from-file" }] },
    });
  });

  it("must exist, and the error names network, pod and remedy", async () => {
    const cluster = await useCluster();

    const chosen = cluster.choose(pod("nothing"));

    await expect(chosen).rejects.toMatchObject({ failureClass: "network-missing" });
    await expect(chosen).rejects.toThrow(/"ns\/nothing" of pod ns\/p.*create it/);
  });

  it("must be right, and the error names the definition", async () => {
    const cluster = await useCluster();
    cluster.define("ns/broken", '{"cniVersion":');

    const chosen = cluster.choose(pod("broken"));

    await expect(chosen).rejects.toMatchObject({ failureClass: "invalid-configuration" });
    await expect(chosen).rejects.toThrow(/ns\/broken/);
  });

  it("may not be of another namespace under isolation, but for the global ones", async () => {
    const cluster = await useCluster();
    cluster.keys = { ...cluster.keys, namespaceIsolation: true, globalNamespaces: "shared, default" };
    for (const key of ["ns/own", "shared/any", "other/one"]) cluster.define(key, list("n", ["a"]));

    expect(namesOf(await cluster.choose(pod("own,shared/any")))).toEqual(["prim", "ns/own", "shared/any"]);
    const forbidden = cluster.choose(pod("other/one"));
    await expect(forbidden).rejects.toMatchObject({ failureClass: "network-forbidden" });
    await expect(forbidden).rejects.toThrow(/"other\/one".*"ns"/);
    const replaced = cluster.choose(pod(undefined, { "v1.multus-cni.io/default-network": "other/one" }));
    await expect(replaced).rejects.toMatchObject({ failureClass: "network-forbidden" });
  });
});
