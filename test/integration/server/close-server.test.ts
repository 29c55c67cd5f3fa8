import { access } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { waitFor } from "../../support/wait-for.ts";
import { cniRequest, RawClient, serveOnSocket } from "./serving.ts";

const health = "GET /healthz HTTP/1.1\r\nhost: d\r\n\r\n";

async function serveOneSlowly() {
  const serving = await serveOnSocket();
  const released = Promise.withResolvers<void>();
  let signal: AbortSignal | undefined;
  serving.parts.cni.behaviour = async (invocation, given) => {
    if (invocation.containerId !== "slow") return '{"cniVersion":"1.0.0"}';
    signal = given;
    await released.promise;
    return '{"cniVersion":"1.0.0"}';
  };
  const slow = new RawClient(serving.path).write(cniRequest({ CNI_COMMAND: "ADD", CNI_CONTAINERID: "slow" }));
  await waitFor("the slow request", () => signal !== undefined);
  return { ...serving, slow, signal: () => signal, release: () => released.resolve() };
}

describe("closing the server", () => {
  it("waits for what runs and takes DEL meanwhile, but no ADD", async () => {
    const { close, path, slow, release } = await serveOneSlowly();

    const closed = close(20_000);

    const add = new RawClient(path).write(cniRequest({ CNI_COMMAND: "ADD" }));
    await waitFor("the refusal", () => add.statuses.length === 1);
    const del = new RawClient(path).write(`${health}${cniRequest({ CNI_COMMAND: "DEL" })}`);
    await waitFor("the DEL", () => del.statuses.length === 2);
    release();
    expect(await closed).toEqual({ cut: 0 });
    expect([add.statuses, del.statuses]).toEqual([["503"], ["200", "200"]]);
    await waitFor("the slow answer", () => slow.statuses[0] === "200");
    await expect(access(path)).rejects.toThrow(/ENOENT/);
  });

  it("cuts off what still runs when the grace is over, and says how much", async () => {
    const { close, slow, signal, release } = await serveOneSlowly();

    expect(await close(50)).toEqual({ cut: 1 });

    await waitFor("the signal", () => signal()?.aborted);
    await waitFor("the cut", () => slow.isClosed);
    expect(slow.statuses).toEqual([]);
    release();
  });

  it("is not held up by idle connections", async () => {
    const { close, path } = await serveOnSocket();
    const idle = new RawClient(path).write(health);
    await waitFor("an answer", () => idle.statuses.length === 1);
    const began = performance.now();

    await close(20_000);

    expect(performance.now() - began).toBeLessThan(5_000);
    await waitFor("the idle connection's end", () => idle.isClosed);
  });

  it("waits for the work of a caller that has gone: its DEL is finished", async () => {
    const { close, slow, release, parts } = await serveOneSlowly();
    slow.socket.destroy();
    await waitFor("the caller's leaving", () => parts.counts.some(({ code }) => code === "499"));
    let isClosed = false;
    const closed = close(20_000).then((outcome) => {
      isClosed = true;
      return outcome;
    });
    await new Promise(setImmediate);

    expect(isClosed).toBe(false);
    release();
    expect(await closed).toEqual({ cut: 0 });
  });

  it("can be asked twice", async () => {
    const { close } = await serveOnSocket();

    expect(await Promise.all([close(), close()])).toEqual([{ cut: 0 }, { cut: 0 }]);
  });
});
