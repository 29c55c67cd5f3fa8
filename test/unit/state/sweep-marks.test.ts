import { describe, expect, it } from "vitest";
import { KeyedQueue } from "../../../src/foundation/keyed-queue.ts";
import { sweepMarks } from "../../../src/state/sweep-marks.ts";
import { FakeSandboxStore } from "../../support/fake-sandbox-store.ts";
import { bootId, doneMark, sandboxRecord } from "./standard-records.ts";
import { SetClock } from "./state-fixture.ts";

const day = 86_400_000;

function sweepOf(store: FakeSandboxStore, maxMarks?: number) {
  const clock = new SetClock();
  const turns = new KeyedQueue();
  const inTurn = (containerId: string, task: () => Promise<void>) => turns.run(containerId, task);
  const limits = maxMarks === undefined ? {} : { maxMarks };
  return { turns, sweep: () => sweepMarks({ store, clock, inTurn, restMs: 0, ...limits }) };
}

function markOfAge(containerId: string, elapsedMs: number, boot = bootId) {
  return doneMark(containerId, { age: { elapsedMs, bootId: boot, atNs: "1000000000" } });
}

function left(store: FakeSandboxStore): readonly string[] {
  return store.entries().map(({ containerId }) => containerId);
}

describe("sweepMarks", () => {
  it("drops marks older than a day and leaves records, however old", async () => {
    const store = new FakeSandboxStore();
    await store.save(markOfAge("old", day + 1));
    await store.save(markOfAge("young", day - 1));
    await store.save(sandboxRecord("live"));

    await expect(sweepOf(store).sweep()).resolves.toBe(1);
    expect(left(store)).toEqual(["young", "live"]);
  });

  it("adds the present boot's own time to marks of an earlier one", async () => {
    const store = new FakeSandboxStore();
    // The present boot is one second old.
    await store.save(markOfAge("old", day - 999, "earlier"));
    await store.save(markOfAge("young", day - 1001, "earlier"));

    await sweepOf(store).sweep();

    expect(left(store)).toEqual(["young"]);
  });

  it("drops the oldest of too many", async () => {
    const store = new FakeSandboxStore();
    for (const [id, elapsedMs] of [
      ["c1", 30],
      ["c2", 10],
      ["c3", 40],
      ["c4", 20],
    ] as const) {
      await store.save(markOfAge(id, elapsedMs));
    }

    await expect(sweepOf(store, 2).sweep()).resolves.toBe(2);
    expect(left(store)).toEqual(["c2", "c4"]);
  });

  it("waits for the sandbox's turn and leaves what an ADD has put there meanwhile", async () => {
    const store = new FakeSandboxStore();
    await store.save(markOfAge("c1", day + 1));
    const { turns, sweep } = sweepOf(store);
    const added = Promise.withResolvers<void>();
    const add = turns.run("c1", async () => {
      await added.promise;
      await store.save(sandboxRecord("c1"));
    });
    const sweeping = sweep();
    added.resolve();
    await add;

    await expect(sweeping).resolves.toBe(0);
    expect(store.entries()).toMatchObject([{ state: "added" }]);
  });
});
