import { describe, expect, it } from "vitest";
import { SandboxTurns, SupersededByDeleteError } from "../../../src/attachments/sandbox-turns.ts";

const never = new AbortController().signal;

function request(startNs: string, containerId = "c1") {
  return { containerId, generation: { bootId: "b", startNs } };
}

/** A task that notes its start and waits to be let go. */
function gate(order: string[], name: string) {
  const go = Promise.withResolvers<void>();
  const task = async () => {
    order.push(name);
    await go.promise;
  };
  return { task, go: () => go.resolve() };
}

async function settle(): Promise<void> {
  for (let ticks = 0; ticks < 20; ticks += 1) await Promise.resolve();
}

describe("SandboxTurns", () => {
  it("runs one sandbox's requests in the order of their coming, and others beside them", async () => {
    const turns = new SandboxTurns();
    const order: string[] = [];
    const first = gate(order, "first");
    const running = [
      turns.run("c1", first.task),
      turns.run("c1", async () => void order.push("second")),
      turns.run("c2", async () => void order.push("other")),
    ];
    await settle();
    expect(order).toEqual(["first", "other"]);

    first.go();
    await Promise.all(running);

    expect(order).toEqual(["first", "other", "second"]);
    expect(turns.isBusy("c1")).toBe(false);
  });

  it("aborts ADDs that began before a DEL, running and waiting ones, and not those that began after it", async () => {
    const turns = new SandboxTurns();
    const aborted: string[] = [];
    const watch = (name: string) => async (signal: AbortSignal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      aborted.push(name);
    };
    const running = turns.runAdd(request("1"), never, watch("running"));
    const waiting = turns.runAdd(request("2"), never, watch("waiting"));
    const newer = new AbortController();
    const later = turns.runAdd(request("9"), newer.signal, watch("later"));
    await settle();

    const deleted = turns.runDelete(request("5"), "b", never, async () => void aborted.push("DEL"));

    await running;
    await expect(waiting).rejects.toThrow(SupersededByDeleteError);
    await settle();
    expect(aborted).toEqual(["running"]);
    expect(turns.isAdding("c1")).toBe(true);
    newer.abort();
    await later;
    await deleted;
    expect(aborted).toEqual(["running", "later", "DEL"]);
    expect(turns.isAdding("c1")).toBe(false);
  });

  it("lets a request that waits go when its patience is over, and never runs it", async () => {
    const turns = new SandboxTurns();
    const order: string[] = [];
    const first = gate(order, "first");
    const running = turns.run("c1", first.task);
    const patience = new AbortController();
    const waiting = turns.runDelete(request("5"), "b", patience.signal, async () => void order.push("DEL"));
    await settle();

    patience.abort(new Error("gone"));

    await expect(waiting).rejects.toThrow("gone");
    first.go();
    await running;
    await turns.waitIdle();
    expect(order).toEqual(["first"]);
  });

  it("lets many inside a network, one alone, and two that want the same two networks never wait for each other", async () => {
    const turns = new SandboxTurns();
    const order: string[] = [];
    const first = gate(order, "inside 1");
    const inside = turns.insideNetworks(["b", "a", "b"], first.task);
    const second = turns.insideNetworks(["a", "b"], async () => void order.push("inside 2"));
    const alone = turns.aloneOnNetwork("a", never, async () => void order.push("alone"));
    const after = turns.insideNetworks(["b", "a"], async () => void order.push("inside 3"));
    await settle();
    expect(order).toEqual(["inside 1", "inside 2"]);

    first.go();
    await Promise.all([inside, second, alone, after]);

    expect(order).toEqual(["inside 1", "inside 2", "alone", "inside 3"]);
  });

  it("gives up waiting to be alone when its time is over, without holding others up", async () => {
    const turns = new SandboxTurns();
    const order: string[] = [];
    const first = gate(order, "inside");
    const inside = turns.insideNetworks(["a"], first.task);
    const time = new AbortController();
    const alone = turns.aloneOnNetwork("a", time.signal, async () => void order.push("alone"));
    const after = turns.insideNetworks(["a"], async () => void order.push("after"));
    await settle();

    time.abort(new Error("time"));

    await expect(alone).rejects.toThrow("time");
    await after;
    expect(order).toEqual(["inside", "after"]);
    first.go();
    await inside;
  });
});
