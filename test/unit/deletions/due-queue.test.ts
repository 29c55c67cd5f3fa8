import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DueQueue } from "../../../src/deletions/due-queue.ts";

const step = fc.record({
  id: fc.integer({ min: 0, max: 30 }).map(String),
  due: fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined }),
});

describe("DueQueue", () => {
  it("gives what is due first, whatever was set, moved and deleted", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const queue = new DueQueue();
        const model = new Map<string, bigint>();
        for (const { id, due } of steps) {
          if (due === undefined) {
            queue.delete(id);
            model.delete(id);
          } else {
            queue.set(id, BigInt(due));
            model.set(id, BigInt(due));
          }
          const earliest = [...model.values()].sort((left, right) => Number(left - right))[0];
          expect(queue.peek()?.dueNs).toBe(earliest);
          expect(queue.size).toBe(model.size);
        }
      }),
    );
  });

  it("advances what is due later, and nothing that is due already", () => {
    const queue = new DueQueue();
    queue.set("early", 5n);
    queue.set("late", 500n);

    queue.advanceAll(50n);

    expect([queue.dueNs("early"), queue.dueNs("late")]).toEqual([5n, 50n]);
    expect(queue.peek()).toEqual({ id: "early", dueNs: 5n });
  });
});
