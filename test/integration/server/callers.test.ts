import { describe, expect, it } from "vitest";
import { CallerGoneError } from "../../../src/server/caller-signal.ts";
import { waitFor } from "../../support/wait-for.ts";
import { cniRequest, RawClient, serveOnSocket } from "./serving.ts";

/** Use cases that wait until they are cancelled or released. */
async function serveSlowly() {
  const serving = await serveOnSocket();
  const signals: AbortSignal[] = [];
  const released = Promise.withResolvers<void>();
  serving.parts.cni.behaviour = async (_invocation, signal) => {
    signals.push(signal);
    const cancelled = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    await Promise.race([released.promise, cancelled]);
    return '{"cniVersion":"1.0.0"}';
  };
  return { ...serving, signals, release: () => released.resolve() };
}

describe("a caller that goes", () => {
  it.each([
    ["closes its connection", (client: RawClient) => client.socket.destroy()],
    ["shuts its sending side down, as a killed one does", (client: RawClient) => client.socket.end()],
  ])("cancels its request when it %s", async (_what, leave) => {
    const { path, parts, signals } = await serveSlowly();
    const client = new RawClient(path).write(cniRequest({ CNI_COMMAND: "ADD" }));
    await waitFor("the request", () => signals.length === 1);

    leave(client);

    await waitFor("the signal", () => signals[0]?.aborted);
    expect(signals[0]?.reason).toBeInstanceOf(CallerGoneError);
    await waitFor("the count", () => parts.counts.some(({ code }) => code === "499"));
  });

  it("does not cancel while it waits, though its request has been read to the end", async () => {
    const { path, signals, release } = await serveSlowly();
    const client = new RawClient(path).write(cniRequest({ CNI_COMMAND: "ADD" }));
    await waitFor("the request", () => signals.length === 1);
    const other = new RawClient(path).write("GET /healthz HTTP/1.1\r\nhost: d\r\n\r\n");
    await waitFor("another's answer", () => other.statuses.length === 1);

    expect(signals[0]?.aborted).toBe(false);
    release();
    await waitFor("the answer", () => client.statuses[0] === "200");
    client.socket.destroy();
    await waitFor("the end", () => client.isClosed);
    expect(signals[0]?.aborted).toBe(false);
  });

  it("cancels every request that it has pipelined", async () => {
    const { path, signals } = await serveSlowly();
    const one = cniRequest({ CNI_COMMAND: "ADD" });
    const client = new RawClient(path).write(one.repeat(30));
    await waitFor("the requests", () => signals.length === 30);

    client.socket.destroy();

    await waitFor("the signals", () => signals.every(({ aborted }) => aborted));
  });

  it("leaves other callers alone", async () => {
    const { path, signals, release } = await serveSlowly();
    const stays = new RawClient(path).write(cniRequest({ CNI_COMMAND: "ADD", CNI_CONTAINERID: "stays" }));
    const leaves = new RawClient(path).write(cniRequest({ CNI_COMMAND: "ADD", CNI_CONTAINERID: "leaves" }));
    await waitFor("both", () => signals.length === 2);

    leaves.socket.destroy();

    await waitFor("one signal", () => signals.some(({ aborted }) => aborted));
    release();
    await waitFor("the other's answer", () => stays.statuses[0] === "200");
  });
});

describe("one connection", () => {
  it("carries the shim's health probe and then its request", async () => {
    const { path } = await serveOnSocket();
    const client = new RawClient(path).write("GET /healthz HTTP/1.1\r\nhost: d\r\n\r\n");
    await waitFor("health", () => client.statuses.length === 1);

    client.write(cniRequest({ CNI_COMMAND: "DEL" }));

    await waitFor("the answer", () => client.statuses.length === 2);
    expect(client.statuses).toEqual(["200", "200"]);
  });

  it("takes upstream's probe, a POST whose body is null, without a content type", async () => {
    const { path } = await serveOnSocket();

    const client = new RawClient(path).write(
      "POST /readyz HTTP/1.1\r\nhost: dummy\r\ncontent-length: 4\r\n\r\nnull",
    );

    await waitFor("the answer", () => client.statuses.length === 1);
    expect(client.statuses).toEqual(["200"]);
  });

  it("takes a body in chunks", async () => {
    const { path, parts } = await serveOnSocket();
    const body = cniRequest({ CNI_COMMAND: "DEL" }).split("\r\n\r\n")[1] ?? "";
    const client = new RawClient(path).write(
      "POST /cni HTTP/1.1\r\nhost: d\r\ntransfer-encoding: chunked\r\n\r\n",
    );

    for (const part of [body.slice(0, 10), body.slice(10)]) {
      client.write(`${part.length.toString(16)}\r\n${part}\r\n`);
    }
    client.write("0\r\n\r\n");

    await waitFor("the answer", () => client.statuses[0] === "200");
    expect(parts.cni.last.command).toBe("DEL");
  });

  it("ignores headers of ours that come twice or hold junk", async () => {
    const { path, parts } = await serveOnSocket();
    const headers = `${`x-multusd-boot: ${parts.clock.bootId}\r\n`.repeat(2)}x-multusd-start: \u00ff\r\nx-multusd-deadline: 1\r\n`;

    const client = new RawClient(path).write(cniRequest({ CNI_COMMAND: "DEL" }, headers));

    await waitFor("the answer", () => client.statuses[0] === "200");
    expect(parts.cni.last.deadlineNs).toBeUndefined();
  });
});
