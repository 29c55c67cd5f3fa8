import { describe, expect, it } from "vitest";
import { waitFor } from "../../support/wait-for.ts";
import { cniRequest, RawClient, serveOnSocket } from "./serving.ts";

const health = "GET /healthz HTTP/1.1\r\nhost: d\r\n\r\n";

async function expectHealthy(path: string): Promise<void> {
  const client = new RawClient(path).write(health);
  await waitFor("a healthy answer", () => client.statuses[0] === "200");
  client.socket.destroy();
}

describe("bytes that are no request", () => {
  it.each([
    ["junk", "\0\x01\x02 hello\r\n\r\n", "400"],
    ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "400"],
    ["another protocol", "SSH-2.0-x\r\n", "400"],
    ["a header without end", `GET / HTTP/1.1\r\nx: ${"y".repeat(20_000)}`, "431"],
    [
      "two lengths",
      "POST /cni HTTP/1.1\r\nhost: d\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx",
      "400",
    ],
    [
      "a length and chunks",
      "POST /cni HTTP/1.1\r\nhost: d\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\nx",
      "400",
    ],
    ["a negative length", "POST /cni HTTP/1.1\r\nhost: d\r\ncontent-length: -1\r\n\r\n", "400"],
  ])("are answered with a CNI error where an answer can be read: %s", async (_what, bytes, status) => {
    const { path } = await serveOnSocket();

    const client = new RawClient(path).write(bytes);

    await waitFor("the end of the connection", () => client.isClosed);
    expect(client.statuses).toEqual([status]);
    const [head = "", body = ""] = client.received.split("\r\n\r\n");
    expect(head).toMatch(/x-multusd-failure: malformed-request/);
    expect(head).toMatch(/x-request-id: [0-9a-f-]{36}/);
    expect(JSON.parse(body)).toMatchObject({ cniVersion: "1.1.0", code: 6 });
    await expectHealthy(path);
  });

  it("after a request do not spoil its answer", async () => {
    const { path } = await serveOnSocket();

    const client = new RawClient(path).write(`${health}\0junk\r\n\r\n`);

    await waitFor("the end of the connection", () => client.isClosed);
    expect(client.statuses[0]).toMatch(/200|400/);
    await expectHealthy(path);
  });

  it("are harmless where the client is gone in the middle of a body", async () => {
    const { path, parts } = await serveOnSocket();

    const client = new RawClient(path).write(
      "POST /cni HTTP/1.1\r\nhost: d\r\ncontent-length: 1000\r\n\r\n{",
    );
    await waitFor("the connection", () => client.socket.bytesWritten > 0 && !client.socket.connecting);
    client.socket.destroy();

    await waitFor("the end", () => client.isClosed);
    await expectHealthy(path);
    expect(parts.cni.calls).toEqual([]);
  });
});

describe("a body over 1 MiB", () => {
  it.each(["content-length: 2097152", "transfer-encoding: chunked"])(
    "is 413 for a client that writes all of it before it reads (%s)",
    async (length) => {
      const { path } = await serveOnSocket();
      const body = "x".repeat(2 ** 21);
      const framed = length.startsWith("transfer")
        ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
        : body;
      const client = new RawClient(path);

      const written = new Promise<Error | null | undefined>((resolve) => {
        client.socket.write(`POST /cni HTTP/1.1\r\nhost: d\r\n${length}\r\n\r\n${framed}`, resolve);
      });

      expect(await written).toBeFalsy();
      await waitFor("the answer", () => client.statuses.length === 1);
      expect(client.statuses).toEqual(["413"]);
      expect(client.error).toBeUndefined();
    },
  );
});

describe("slow and many clients", () => {
  it("have limits by default", async () => {
    const { app } = (await serveOnSocket()).server;

    const { headersTimeout, requestTimeout, keepAliveTimeout, maxConnections } = app.server;

    expect({ headersTimeout, requestTimeout, keepAliveTimeout, maxConnections }).toEqual({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 15_000,
      maxConnections: 2048,
    });
  });

  it("are cut off when their request does not come", async () => {
    const { path, server } = await serveOnSocket();
    server.app.server.headersTimeout = 100;
    server.app.server.requestTimeout = 200;

    const silent = new RawClient(path);
    const inHeader = new RawClient(path).write("POST /cni HTTP/1.1\r\nhost:");
    const inBody = new RawClient(path).write("POST /cni HTTP/1.1\r\nhost: d\r\ncontent-length: 100\r\n\r\n{");

    await waitFor("all to be cut off", () => [silent, inHeader, inBody].every(({ isClosed }) => isClosed));
    expect(inHeader.statuses).toEqual(["408"]);
    await expectHealthy(path);
  });

  it("are bounded: with a thousand idle connections a DEL is still served", async () => {
    const { path } = await serveOnSocket();
    const idle = Array.from({ length: 1000 }, () => new RawClient(path));
    await waitFor("the connections", () => idle.every(({ socket }) => !socket.connecting));

    const client = new RawClient(path).write(cniRequest({ CNI_COMMAND: "DEL" }));

    await waitFor("the answer", () => client.statuses[0] === "200");
    for (const { socket } of idle) socket.destroy();
  });

  it("get their answers in order where they pipeline", async () => {
    const { path, parts } = await serveOnSocket();

    const client = new RawClient(path).write(
      `${cniRequest({ CNI_COMMAND: "DEL" })}GET /nowhere HTTP/1.1\r\nhost: d\r\n\r\n${health}`,
    );

    await waitFor("three answers", () => client.statuses.length === 3);
    expect(client.statuses).toEqual(["200", "404", "200"]);
    expect(parts.cni.calls).toHaveLength(1);
  });
});
