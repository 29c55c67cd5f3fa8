import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  LaneQueue,
  QueueFullError,
  QueueTimeoutError,
  type Slot,
} from "../../../src/foundation/fair-queue.ts";

type Lane = "add" | "del" | "retry";

interface Wishes {
  readonly slots: number;
  readonly reserved?: Partial<Record<Lane, number>>;
  readonly shares?: Partial<Record<Lane, number>>;
  readonly maxWaiting?: number;
}

function queueOf(options: Wishes) {
  return new LaneQueue<Lane>({ reserved: {}, maxWaiting: 100, ...options });
}

/** Acquires and notes the order in which slots are given. */
function take(queue: LaneQueue<Lane>, lane: Lane, name: string, order: string[]): Promise<Slot> {
  return queue.acquire(lane).then((slot) => {
    order.push(name);
    return slot;
  });
}

describe("LaneQueue", () => {
  it("gives no more slots than it has and hands a released one on in order", async () => {
    const queue = queueOf({ slots: 2 });
    const order: string[] = [];
    const first = await take(queue, "add", "1", order);
    await take(queue, "add", "2", order);
    const third = take(queue, "add", "3", order);
    const fourth = take(queue, "add", "4", order);
    expect(queue.running).toBe(2);
    expect(queue.waiting("add")).toBe(2);

    first.release();
    (await third).release();
    await fourth;

    expect(order).toEqual(["1", "2", "3", "4"]);
  });

  it("serves lanes in turn, however many wait in one", async () => {
    const queue = queueOf({ slots: 1 });
    const order: string[] = [];
    const held = await queue.acquire("add");
    const waiting = [
      ...["a1", "a2", "a3"].map((name) => take(queue, "add", name, order)),
      ...["d1", "d2"].map((name) => take(queue, "del", name, order)),
      take(queue, "retry", "r1", order),
    ];

    held.release();
    await Promise.all(waiting.map(async (slot) => (await slot).release()));

    expect(order).toHaveLength(6);
    expect(new Set(order.slice(0, 3).map((name) => name[0]))).toEqual(new Set(["a", "d", "r"]));
  });

  it("keeps reserved slots for their lane and lets that lane use the common ones too", async () => {
    const queue = queueOf({ slots: 3, reserved: { del: 2 } });
    const add = await queue.acquire("add");
    const waitingAdd = queue.acquire("add");
    await Promise.all([queue.acquire("del"), queue.acquire("del")]);
    expect(queue.waiting("add")).toBe(1);

    add.release();
    await waitingAdd;
  });

  it("leaves one slot for everybody when less is there than is reserved", async () => {
    const queue = queueOf({ slots: 1, reserved: { del: 5 } });

    await expect(queue.acquire("add")).resolves.toBeDefined();
  });

  it("refuses when as many wait in the lane as may, and serves other lanes still", async () => {
    const queue = queueOf({ slots: 1, maxWaiting: 1 });
    const held = await queue.acquire("add");
    const waiting = queue.acquire("add");

    await expect(queue.acquire("add")).rejects.toBeInstanceOf(QueueFullError);
    const other = queue.acquire("del");
    held.release();
    (await waiting).release();
    (await other).release();
    expect(queue.running).toBe(0);
  });

  it("gives up after the time that the caller has, and forgets the waiting one", async () => {
    const queue = queueOf({ slots: 1 });
    const held = await queue.acquire("add");

    await expect(queue.acquire("add", { timeoutMs: 5 })).rejects.toBeInstanceOf(QueueTimeoutError);
    expect(queue.waiting("add")).toBe(0);
    held.release();
    await expect(queue.acquire("add", { timeoutMs: 5 })).resolves.toMatchObject({ waitedMs: 0 });
  });

  it("rejects with the reason of an abort, before and while it waits", async () => {
    const queue = queueOf({ slots: 1 });
    await queue.acquire("add");
    const gone = new AbortController();
    const waiting = queue.acquire("add", { signal: gone.signal });

    gone.abort(new Error("caller has gone"));

    await expect(waiting).rejects.toThrow("caller has gone");
    await expect(queue.acquire("del", { signal: gone.signal })).rejects.toThrow("caller has gone");
    expect(queue.waiting("add")).toBe(0);
  });

  it("counts a slot once however often it is released", async () => {
    const queue = queueOf({ slots: 1 });
    const first = await queue.acquire("add");
    first.release();
    first.release();
    await queue.acquire("add");

    expect(queue.running).toBe(1);
    const waiting = queue.acquire("add", { timeoutMs: 5 });
    await expect(waiting).rejects.toBeInstanceOf(QueueTimeoutError);
  });

  it("serves who waits when it grows, and shrinks as slots come back", async () => {
    const queue = queueOf({ slots: 1 });
    const first = await queue.acquire("add");
    const waiting = queue.acquire("add");
    queue.resize(2);
    const second = await waiting;

    queue.resize(1);
    const third = queue.acquire("add");
    first.release();
    expect(queue.waiting("add")).toBe(1);
    second.release();
    await third;
  });

  it("gives a lane with a share no more than that, whatever is free, and one in any case", async () => {
    const queue = queueOf({ slots: 6, reserved: { del: 2 }, shares: { retry: 0.5 } });
    const order: string[] = [];
    const first = await take(queue, "retry", "r1", order);
    await take(queue, "retry", "r2", order);
    const third = take(queue, "retry", "r3", order);
    await take(queue, "add", "a1", order);
    await take(queue, "add", "a2", order);

    expect(order).toEqual(["r1", "r2", "a1", "a2"]);
    first.release();
    await third;
    queue.resize(1);
    expect(order.at(-1)).toBe("r3");
  });

  it("never exceeds its slots, keeps the reserve, and serves everybody, for any order of use", async () => {
    const lane = fc.constantFrom<Lane>("add", "del", "retry");
    const use = fc.record({ lane, yields: fc.nat(5) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(use, { maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        async (uses, slots) => {
          const queue = queueOf({ slots, reserved: { del: 1 }, maxWaiting: 1000 });
          let others = 0;
          const served = uses.map(async (one) => {
            const slot = await queue.acquire(one.lane);
            if (one.lane !== "del") others += 1;
            expect(queue.running).toBeLessThanOrEqual(slots);
            expect(others).toBeLessThanOrEqual(Math.max(1, slots - 1));
            for (let i = 0; i < one.yields; i += 1) await undefined;
            if (one.lane !== "del") others -= 1;
            slot.release();
          });
          await Promise.all(served);
          expect(queue.running).toBe(0);
        },
      ),
    );
  });
});
