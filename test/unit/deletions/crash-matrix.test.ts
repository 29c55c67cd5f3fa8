import { describe, expect, it } from "vitest";
import { type DomainRig, policy, useDomainRig } from "../../support/domain-rig.ts";
import { waitFor } from "../../support/wait-for.ts";

/** What a runtime does in the life that ends; its failures are the death's. */
interface Scene {
  readonly name: string;
  readonly before?: (rig: DomainRig) => Promise<void>;
  readonly act: (rig: DomainRig) => Promise<unknown>;
}

const scenes: readonly Scene[] = [
  { name: "an ADD", act: (rig) => rig.add() },
  {
    name: "an ADD that fails and is rolled back",
    before: async (rig) => rig.plugins.fail("beta", "ADD"),
    act: (rig) => rig.add(),
  },
  { name: "a DEL", before: async (rig) => void (await rig.add()), act: (rig) => rig.delete() },
  {
    name: "a DEL whose plugins fail under all three policies",
    before: async (rig) => {
      await rig.add();
      rig.setPolicy("default/alpha", policy("strict"));
      rig.setPolicy("primary-net", policy("deferred"));
      for (const type of ["alpha", "primary"]) rig.plugins.fail(type, "DEL");
    },
    act: (rig) => rig.delete(),
  },
  {
    name: "the taking in of a spooled DEL",
    before: async (rig) => {
      await rig.add();
      rig.spoolDelete();
    },
    act: async (rig) => {
      const { spoolIntake } = rig.domain;
      await rig.start();
      await spoolIntake.stop();
    },
  },
  {
    name: "a retry",
    before: async (rig) => {
      await rig.add();
      for (const type of ["alpha", "beta"]) rig.plugins.fail(type, "DEL");
      await rig.delete();
      rig.plugins.mendAll();
      rig.kill();
      await rig.restart();
    },
    act: (rig) => rig.untilNothingOwed(),
  },
];

async function set(scene: Scene): Promise<DomainRig> {
  const rig = await useDomainRig();
  rig.standardNetworks();
  await scene.before?.(rig);
  return rig;
}

/** Calls of ports that the scene makes when nothing ends it. */
async function countCalls(scene: Scene): Promise<number> {
  const rig = await set(scene);
  const before = rig.life.calls.length;
  await scene.act(rig).catch(() => undefined);
  return rig.life.calls.length - before;
}

async function dieIn(scene: Scene, call: number, hasEffect: boolean): Promise<DomainRig> {
  const rig = await set(scene);
  rig.life.endAtCall(call, hasEffect);
  const acted = scene.act(rig).catch(() => undefined);
  await Promise.race([acted, rig.life.whenOver()]);
  rig.plugins.mendAll();
  await rig.restart();
  return rig;
}

describe.each(scenes)("kill -9 at each call of a port in $name", (scene) => {
  it("loses nothing: what was allocated is attached, or given back by the DEL that comes", async () => {
    const calls = await countCalls(scene);
    expect(calls).toBeGreaterThan(5);
    for (let call = 1; call <= calls; call += 1) {
      for (const hasEffect of [false, true]) {
        const rig = await dieIn(scene, call, hasEffect);
        const where = `call ${call} ${hasEffect ? "done" : "not done"}: ${rig.life.calls.join(" ")}`;

        await rig.delete();
        await rig.untilNothingOwed();
        await waitFor("the spool is empty", () => rig.spool.names().length === 0);

        expect([...rig.plugins.allocations.keys()], where).toEqual([]);
        expect(
          rig.sandboxes.entries().map(({ state }) => state),
          where,
        ).toEqual(["done"]);
        expect([rig.spool.names(), rig.cache.files(), [...rig.markers.marked]], where).toEqual([[], [], []]);
        rig.kill();
      }
    }
  }, 60_000);
});

describe("kill -9 in an ADD without a DEL afterwards", () => {
  it("leaves either a whole sandbox or nothing, since nobody may come again", async () => {
    const scene: Scene = { name: "an ADD", act: (rig) => rig.add() };
    const calls = await countCalls(scene);
    for (let call = 1; call <= calls; call += 1) {
      const rig = await dieIn(scene, call, true);
      await rig.untilNothingOwed();
      expect(rig.plugins.allocations.size, `call ${call}`).toBe(rig.record() === undefined ? 0 : 3);
      rig.kill();
    }
  }, 60_000);
});
