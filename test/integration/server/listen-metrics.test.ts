import { once } from "node:events";
import { request } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { listenMetrics, parseMetricsAddress } from "../../../src/server/listen-metrics.ts";
import { waitFor } from "../../support/wait-for.ts";
import { FakeParts } from "../../unit/server/fakes.ts";

async function ask(port: number, method: string, path: string): Promise<{ status: number; text: string }> {
  const answer = Promise.withResolvers<{ status: number; text: string }>();
  const sent = request({ host: "127.0.0.1", port, method, path, agent: false }, async (reply) => {
    let text = "";
    for await (const chunk of reply) text += String(chunk);
    answer.resolve({ status: reply.statusCode ?? 0, text });
  });
  sent.on("error", answer.reject).end();
  return await answer.promise;
}

async function listen(parts: FakeParts, port = 0) {
  const listener = listenMetrics({ ...parts, address: { host: "127.0.0.1", port } });
  onTestFinished(async () => await listener.stop());
  return listener;
}

describe("metrics over TCP", () => {
  it("are served at /metrics and nothing else is", async () => {
    const parts = new FakeParts();
    const listener = await listen(parts);
    const { port } = await waitFor("the listener", () => listener.address());

    expect(await ask(port, "GET", "/metrics?x=1")).toEqual({ status: 200, text: "multus_up 1\n" });
    expect((await ask(port, "POST", "/metrics")).status).toBe(405);
    expect((await ask(port, "POST", "/cni")).status).toBe(404);
    await waitFor("the counts", () => parts.counts.length === 3);
    expect(parts.counts[2]).toEqual({ handler: "NotFound", code: "404", method: "post" });
  });

  it("wait for a port that is taken, and say so once", async () => {
    const squatter = createTcpServer().listen(0, "127.0.0.1");
    await once(squatter, "listening");
    const { port } = squatter.address() as { port: number };
    const parts = new FakeParts();
    const listener = await listen(parts, port);
    await waitFor("the complaint", () => parts.log.lines.length > 0);
    expect(listener.address()).toBeUndefined();
    expect(parts.log.lines).toMatchObject([{ level: "warn", fields: { reason: "EADDRINUSE" } }]);

    squatter.close();

    await waitFor("the listener", () => listener.address());
    expect((await ask(port, "GET", "/metrics")).status).toBe(200);
  });

  it("stop while they wait for their port", async () => {
    const squatter = createTcpServer().listen(0, "127.0.0.1");
    await once(squatter, "listening");
    onTestFinished(() => void squatter.close());
    const listener = await listen(new FakeParts(), (squatter.address() as { port: number }).port);

    await expect(listener.stop()).resolves.toBeUndefined();
  });
});

describe("a metrics address", () => {
  it.each([
    ["127.0.0.1:9095", { host: "127.0.0.1", port: 9095 }],
    [":9095", { port: 9095 }],
    ["[::1]:9095", { host: "::1", port: 9095 }],
    ["node.example:0", { host: "node.example", port: 0 }],
    ["9095", undefined],
    ["127.0.0.1", undefined],
    [":65536", undefined],
    ["::1:9095", undefined],
    ["", undefined],
  ])("%j is %j", (text, address) => {
    expect(parseMetricsAddress(text)).toEqual(address);
  });
});
