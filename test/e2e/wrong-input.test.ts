import { describe, expect, it } from "vitest";
import { definitionManifest } from "../support/manifests.ts";
import type { SocketReply, SocketRequest } from "../support/socket-request.ts";
import { type TestNode, useNode } from "../support/test-node.ts";

interface Case {
  readonly what: string;
  readonly request: SocketRequest;
  readonly status: number;
  readonly code: number;
  readonly failure?: string;
}

const stdin = JSON.stringify({ cniVersion: "1.0.0", name: "multus-cni-network", type: "multus-shim" });
const env = {
  CNI_COMMAND: "ADD",
  CNI_CONTAINERID: "c0ffee",
  CNI_NETNS: "/run/netns/none",
  CNI_IFNAME: "eth0",
  CNI_ARGS: "K8S_POD_NAMESPACE=default;K8S_POD_NAME=none;K8S_POD_UID=u",
  CNI_PATH: "/opt/cni/bin",
};

function cni(
  changes: Readonly<Record<string, string>>,
  config = Buffer.from(stdin).toString("base64"),
): SocketRequest {
  return { method: "POST", path: "/cni", body: JSON.stringify({ env: { ...env, ...changes }, config }) };
}

const post = (body: string | Buffer): SocketRequest => ({ method: "POST", path: "/cni", body });

const cases: readonly Case[] = [
  { what: "a body that is no JSON", request: post("{"), status: 400, code: 6, failure: "malformed-request" },
  { what: "an empty body", request: post(""), status: 400, code: 6, failure: "malformed-request" },
  { what: "a body without env", request: post("{}"), status: 400, code: 4, failure: "malformed-request" },
  {
    what: "a config that is no base64",
    request: cni({}, "***"),
    status: 400,
    code: 6,
    failure: "malformed-request",
  },
  {
    what: "a config that holds no JSON",
    request: cni({}, "e30teA=="),
    status: 400,
    code: 6,
    failure: "malformed-request",
  },
  {
    what: "a container ID that climbs out",
    request: cni({ CNI_CONTAINERID: "../../etc" }),
    status: 400,
    code: 4,
    failure: "malformed-request",
  },
  {
    what: "an unknown command",
    request: cni({ CNI_COMMAND: "DESTROY" }),
    status: 400,
    code: 4,
    failure: "malformed-request",
  },
  { what: "a body of 2 MiB", request: post(Buffer.alloc(2 * 1024 * 1024, " ")), status: 413, code: 6 },
  { what: "an unknown route", request: { path: "/nothing" }, status: 404, code: 6 },
  { what: "a wrong method", request: { method: "DELETE", path: "/cni" }, status: 405, code: 6 },
];

describe("wrong input", () => {
  it.each(cases)("$what is $status with code $code", async ({ request, status, code, failure }) => {
    const node = await useNode();

    const reply = await node.daemon().request(request);

    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.text)).toMatchObject({
      cniVersion: expect.any(String),
      code,
      msg: expect.any(String),
    });
    if (failure !== undefined) expect(reply.headers["x-multusd-failure"]).toBe(failure);
    expect((await node.daemon().request({ path: "/healthz" })).status).toBe(200);
    expect(await node.plugins.calls()).toEqual([]);
  });
});

const broken = definitionManifest({
  name: "broken",
  config: '{"cniVersion":"1.0.0","name":"broken","plugins":[{]}',
});

interface AddCase {
  readonly what: string;
  readonly networks: string;
  readonly status: number;
  readonly failure: string;
  /** What the message must name, for the person who reads it. */
  readonly names: string;
}

const addCases: readonly AddCase[] = [
  {
    what: "a definition with broken JSON",
    networks: "broken",
    status: 422,
    failure: "invalid-configuration",
    names: "broken",
  },
  {
    what: "an annotation with broken JSON",
    networks: '[{"name":',
    status: 422,
    failure: "invalid-configuration",
    names: "networks",
  },
  {
    what: "a network that is not there",
    networks: "nowhere",
    status: 404,
    failure: "network-missing",
    names: "nowhere",
  },
];

describe("an ADD that cannot be", () => {
  it.each(addCases)("$what is $status $failure, and nothing is attached", async (one) => {
    const node = await useNode({ manifests: { "broken.json": broken } });
    const sandbox = await node.sandbox({ networks: one.networks });

    const reply = await addOverWire(node, sandbox.pod, sandbox.containerId, sandbox.namespace.path);
    const added = await sandbox.run("ADD");

    expect(reply.status).toBe(one.status);
    expect(reply.headers["x-multusd-failure"]).toBe(one.failure);
    expect(added).toMatchObject({ code: 1, printed: { code: 7, msg: expect.stringContaining(one.names) } });
    expect(await node.plugins.held()).toEqual([]);
    expect(await sandbox.run("DEL")).toMatchObject({ code: 0, stdout: "" });
  });
});

async function addOverWire(
  node: TestNode,
  pod: string,
  containerId: string,
  netns: string,
): Promise<SocketReply> {
  const args = `IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=${pod};K8S_POD_UID=uid-${pod}`;
  return await node.daemon().request(cni({ CNI_CONTAINERID: containerId, CNI_NETNS: netns, CNI_ARGS: args }));
}
