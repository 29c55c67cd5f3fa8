import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/attachments/failure.ts";
import { list, useDomainRig } from "../../support/domain-rig.ts";

describe("ADD", () => {
  it("attaches the primary and the pod's networks in order, each with its interface", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.pod("p1", '[{"name":"alpha","interface":"lan0"},{"name":"beta"}]');

    const result = await rig.add();

    expect(rig.plugins.ordered("ADD")).toEqual(["primary eth0", "alpha lan0", "beta net2"]);
    expect(JSON.parse(result)).toMatchObject({ cniVersion: "1.0.0", interfaces: [{ name: "eth0" }] });
    expect(rig.record()).toMatchObject({
      state: "added",
      pod: { namespace: "default", name: "p1", uid: "uid-p1" },
      attachments: [
        { network: "primary-net", interface: "eth0", state: "added" },
        { network: "default/alpha", listName: "alpha-net", interface: "lan0", state: "added" },
        { network: "default/beta", interface: "net2", state: "added" },
      ],
    });
  });

  it.each(["0.3.1", "0.4.0", "1.0.0", "1.1.0"])("answers in version %s of its caller", async (cniVersion) => {
    const rig = await useDomainRig();
    rig.standardNetworks();

    expect(JSON.parse(await rig.add({ config: { cniVersion } }))).toMatchObject({ cniVersion });
  });

  it("has its intent on disk before the first plugin runs (A22)", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    const states: string[] = [];
    rig.plugins.onRun = () => states.push(rig.record()?.state ?? "nothing");

    await rig.add();

    expect(states).toEqual(["adding", "adding", "adding"]);
  });

  it("undoes what was tried, last first, the failed one too, and tells the first failure (A13)", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.plugins.fail("alpha", "ADD", { code: 101, msg: "no address left" });

    await expect(rig.add()).rejects.toMatchObject({
      failureClass: "delegate-failed",
      code: 101,
      message: expect.stringMatching(/"default\/alpha" \(interface net1\).*no address left/) as string,
    });

    expect(rig.plugins.ordered("DEL")).toEqual(["alpha net1", "primary eth0"]);
    expect(rig.plugins.allocations.size).toBe(0);
    expect(rig.sandboxes.entries()).toMatchObject([{ state: "done" }]);
  });

  it("gives the plugins that it undoes the result that they gave", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.plugins.fail("beta", "ADD");

    await expect(rig.add()).rejects.toThrow();

    expect(rig.plugins.find("alpha", "DEL").stdin).toContain('"prevResult"');
    expect(rig.plugins.find("beta", "DEL").stdin).not.toContain('"prevResult"');
  });

  it("is undone when its caller goes, the plugin that runs included (A14)", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    const caller = new AbortController();
    const held = rig.plugins.hold("beta", "ADD");
    const added = rig.add({ signal: caller.signal });
    await held.begun;

    caller.abort(new Error("the caller has gone"));

    await expect(added).rejects.toThrow("the caller has gone");
    expect(rig.plugins.ordered("DEL")).toEqual(["beta net2", "alpha net1", "primary eth0"]);
    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("is undone when its time is over, and says so", async () => {
    const rig = await useDomainRig({ timeouts: { addMs: 60 } });
    rig.standardNetworks();
    rig.plugins.hang("alpha", "ADD");

    await expect(rig.add()).rejects.toMatchObject({ failureClass: "deadline-exceeded" });

    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("starts no plugin for a caller that has gone already, or whose time is over", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();

    await expect(rig.add({ signal: AbortSignal.abort(new Error("gone")) })).rejects.toThrow("gone");
    await expect(rig.add({ limitMs: -1 })).rejects.toMatchObject({ failureClass: "deadline-exceeded" });

    expect(rig.plugins.runs).toEqual([]);
    expect(rig.sandboxes.entries()).toEqual([]);
  });

  it("runs nothing when its intent cannot be written", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.sandboxes.failWrites();

    await expect(rig.add()).rejects.toMatchObject({ failureClass: "storage-failed" });

    expect(rig.plugins.runs).toEqual([]);
  });

  it("is undone when its outcome cannot be written", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    const { save } = rig.sandboxes;
    rig.sandboxes.save = async (entry) => {
      if (entry.state === "added") throw new Failure("storage-failed", "the disk is full");
      await save.call(rig.sandboxes, entry);
    };

    await expect(rig.add()).rejects.toMatchObject({ failureClass: "storage-failed" });

    expect(rig.plugins.ordered("DEL")).toEqual(["beta net2", "alpha net1", "primary eth0"]);
    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("tells its own failure where undoing fails as well, and leaves the record to the DEL", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.plugins.fail("alpha", "ADD", { code: 101, msg: "no address left" });
    rig.plugins.onRun = ({ command }) => {
      if (command === "DEL") rig.sandboxes.failWrites();
    };

    await expect(rig.add()).rejects.toMatchObject({ code: 101 });
    rig.sandboxes.allowWrites();
    rig.plugins.onRun = () => {};
    expect(rig.record()?.state).toBe("adding");
    await rig.delete();

    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("waits for a mark that cannot be overtaken: a late write of the ADD never brings the record back", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.upstream.writeScratch = async () => {
      throw new Failure("storage-failed", "the disk is full");
    };
    const { save } = rig.sandboxes;
    rig.sandboxes.save = async (entry) => {
      if (entry.state === "added") await new Promise((resolve) => setTimeout(resolve, 40));
      await save.call(rig.sandboxes, entry);
    };

    await expect(rig.add()).rejects.toMatchObject({ failureClass: "storage-failed" });
    await new Promise((resolve) => setTimeout(resolve, 60));

    expect(rig.sandboxes.entries()).toMatchObject([{ state: "done" }]);
  });

  it("gives an attached sandbox the same result again and runs nothing", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    const first = await rig.add();
    const runs = rig.plugins.runs.length;

    expect(await rig.add()).toBe(first);
    expect(rig.plugins.runs).toHaveLength(runs);
  });

  it("serves two at once for the same sandbox with one set of addresses", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();

    const [first, second] = await Promise.all([rig.add(), rig.add()]);

    expect(second).toBe(first);
    expect(rig.plugins.ordered("ADD")).toHaveLength(3);
  });

  it("undoes what another namespace of the same container has", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();
    rig.namespaces.make("/run/netns/c1");

    await rig.add();

    expect(rig.plugins.order.slice(3)).toEqual([
      "beta DEL c1/net2",
      "alpha DEL c1/net1",
      "primary DEL c1/eth0",
      "primary ADD c1/eth0",
      "alpha ADD c1/net1",
      "beta ADD c1/net2",
    ]);
  });

  it("refuses an interface that the namespace has already, before anything runs", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.namespaces.make("/run/netns/c1", ["lo", "net2"]);

    await expect(rig.add()).rejects.toMatchObject({
      failureClass: "invalid-configuration",
      message: expect.stringMatching(/"default\/beta".*"net2"/) as string,
    });
    expect(rig.plugins.runs).toEqual([]);
  });

  it("refuses a pod of another UID, and takes a static pod's for what it is", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await expect(rig.add({ uid: "other" })).rejects.toMatchObject({ failureClass: "pod-mismatch" });

    const pod = rig.pods.get("default/p1");
    if (pod !== undefined) rig.pods.set("default/p1", { ...pod, isStatic: true });
    await rig.add({ uid: "other" });

    expect(rig.record()?.pod?.uid).toBe("other");
  });

  it("gives a pod that nobody knows the cluster's networks", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();

    await rig.add({ pod: "default/unknown" });

    expect(rig.plugins.ordered("ADD")).toEqual(["primary eth0"]);
  });

  it("takes a sandbox whose record cannot be read down first, from the next best sources", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();
    rig.sandboxes.makeUnreadable("c1");
    rig.namespaces.make("/run/netns/c1");

    await rig.add();

    expect(rig.plugins.ordered("DEL")).toEqual(["beta net2", "alpha net1", "primary eth0"]);
    expect(rig.record()?.state).toBe("added");
  });

  it("has a record that names each network's policy, its source and the device that was asked for", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.pod("p1", '[{"name":"alpha","deviceID":"0000:00:00.1"}]');
    rig.define("alpha", list("alpha-net", ["alpha"]), "strict");

    await rig.add();

    expect(rig.record()?.attachments).toMatchObject([
      { policy: { policy: { mode: "deferred" }, source: "multus-configuration" } },
      { policy: { policy: { mode: "strict" }, source: "definition" }, deviceId: "0000:00:00.1" },
    ]);
    expect(rig.markers.marked).toEqual(new Set(["c1"]));
  });

  it("counts each network from its first ADD on", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();

    await rig.add();

    expect(rig.instruments.seen).toEqual(["primary-net", "default/alpha", "default/beta"]);
    expect(rig.instruments.requests).toMatchObject([{ command: "ADD", outcome: "success", code: 0 }]);
  });
});
