import { describe, expect, it } from "vitest";
import { KeyedQueue } from "../../../src/foundation/keyed-queue.ts";

/** A task that records its begin and end and waits to be finished from outside. */
function steppedTask(log: string[], name: string) {
  const gate = Promise.withResolvers<void>();
  const task = async () => {
    log.push(`${name} begins`);
    await gate.promise;
    log.push(`${name} ends`);
    return name;
  };
  return { task, finish: gate.resolve, fail: gate.reject };
}

/** Lets everything run that does not wait for a timer or I/O. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe("KeyedQueue", () => {
  it("runs tasks of one key one after another in the order of their calls", async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const first = steppedTask(log, "first");
    const second = steppedTask(log, "second");

    const both = Promise.all([queue.run("a", first.task), queue.run("a", second.task)]);
    second.finish();
    await settle();
    expect(log).toEqual(["first begins"]);
    first.finish();

    await expect(both).resolves.toEqual(["first", "second"]);
    expect(log).toEqual(["first begins", "first ends", "second begins", "second ends"]);
  });

  it("runs different keys side by side", async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const slow = steppedTask(log, "slow");

    const waiting = queue.run("a", slow.task);
    await expect(queue.run("b", async () => "b")).resolves.toBe("b");
    slow.finish();
    await waiting;
  });

  it("goes on after a task that failed and hands its failure to the caller alone", async () => {
    const queue = new KeyedQueue();
    const failing = queue.run("a", () => Promise.reject(new Error("broken")));
    const next = queue.run("a", async () => 1);

    await expect(failing).rejects.toThrow("broken");
    await expect(next).resolves.toBe(1);
  });

  it("forgets a key once its last task has ended", async () => {
    const queue = new KeyedQueue();
    const running = queue.run("a", async () => undefined);
    expect(queue.isBusy("a")).toBe(true);

    await running;
    await queue.waitIdle();

    expect(queue.isBusy("a")).toBe(false);
    expect(queue.busyKeys).toBe(0);
  });

  it("rejects a waiting task at once when its caller has gone, never runs it, and keeps the order", async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const first = steppedTask(log, "first");
    const gone = new AbortController();

    const running = queue.run("a", first.task);
    const abandoned = queue.run("a", steppedTask(log, "abandoned").task, gone.signal);
    const last = queue.run("a", async () => log.push("last"));
    gone.abort(new Error("caller has gone"));

    await expect(abandoned).rejects.toThrow("caller has gone");
    expect(log).toEqual(["first begins"]);
    first.finish();
    await Promise.all([running, last]);
    expect(log).toEqual(["first begins", "first ends", "last"]);
  });

  it("leaves the abort of a task that has begun to that task", async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const task = steppedTask(log, "task");
    const gone = new AbortController();

    const running = queue.run("a", task.task, gone.signal);
    await settle();
    gone.abort(new Error("caller has gone"));
    task.finish();

    await expect(running).resolves.toBe("task");
  });

  it("waits for idleness of what is added meanwhile too", async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const first = steppedTask(log, "first");
    const second = steppedTask(log, "second");
    let idle = false;

    const running = queue.run("a", first.task);
    const waiting = queue.waitIdle().then(() => {
      idle = true;
    });
    const later = queue.run("b", second.task);
    first.finish();
    await running;
    await settle();
    expect(idle).toBe(false);
    second.finish();
    await later;
    await waiting;
    expect(idle).toBe(true);
  });
});

describe("KeyedQueue alone", () => {
  it("waits for running tasks and holds off new ones, then lets them in", async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const before = steppedTask(log, "before");
    const alone = steppedTask(log, "alone");
    const after = steppedTask(log, "after");

    const all = [queue.run("a", before.task)];
    await settle();
    all.push(queue.runExclusive(alone.task), queue.run("b", after.task));
    await settle();
    expect(log).toEqual(["before begins"]);
    before.finish();
    await settle();
    expect(log.slice(1)).toEqual(["before ends", "alone begins"]);
    alone.finish();
    after.finish();
    await Promise.all(all);

    expect(log.slice(3)).toEqual(["alone ends", "after begins", "after ends"]);
  });

  it("takes turns with keys, so that a row of exclusive tasks does not starve them", async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const note = (name: string) => async () => {
      log.push(name);
      await settle();
    };

    await Promise.all([
      queue.runExclusive(note("alone 1")),
      queue.runExclusive(note("alone 2")),
      queue.runExclusive(note("alone 3")),
      queue.run("a", note("a")),
      queue.run("b", note("b")),
    ]);

    expect(log).toEqual(["alone 1", "a", "b", "alone 2", "alone 3"]);
  });

  it("is not starved by keys that never rest", async () => {
    const queue = new KeyedQueue();
    let over = false;
    const busy = ["a", "b"].map(async (key) => {
      while (!over) await queue.run(key, settle);
    });

    await queue.runExclusive(async () => {
      over = true;
    });
    await Promise.all(busy);
  });

  it("lets held tasks go on when the one that wanted to be alone gives up", async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const slow = steppedTask(log, "slow");
    const gone = new AbortController();

    const running = queue.run("a", slow.task);
    await settle();
    const alone = queue.runExclusive(async () => "never", gone.signal);
    const held = queue.run("b", async () => "held");
    gone.abort(new Error("gave up"));

    await expect(alone).rejects.toThrow("gave up");
    await expect(held).resolves.toBe("held");
    slow.finish();
    await running;
  });

  it("lets others in after an exclusive task that failed", async () => {
    const queue = new KeyedQueue();
    const alone = queue.runExclusive(() => Promise.reject(new Error("broken")));
    const held = queue.run("a", async () => "held");

    await expect(alone).rejects.toThrow("broken");
    await expect(held).resolves.toBe("held");
    await queue.waitIdle();
  });
});
