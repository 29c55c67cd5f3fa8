import type { InjectOptions } from "fastify";
import type { Static } from "typebox";
import { Check } from "typebox/schema";
import { describe, expect, expectTypeOf, it } from "vitest";
import type {
  AttachmentView,
  DeletionRetryView,
  DeletionView,
  ExplainView,
} from "../../../src/attachments/views.ts";
import { createServer } from "../../../src/server/create-server.ts";
import * as schemas from "../../../src/server/operator-schemas.ts";
import { aDeletion, aLeak, anAttachment, FakeParts } from "./fakes.ts";

function serve() {
  const parts = new FakeParts();
  const { app } = createServer(parts);
  return { parts, send: async (options: InjectOptions) => await app.inject(options) };
}

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

describe("listings", () => {
  it("hold what is attached under `items`, each as its schema says", async () => {
    const { send } = serve();

    const reply = await send({ method: "GET", url: "/v1/attachments" });

    expect(reply.json()).toEqual({ items: [anAttachment] });
    expect(Check(schemas.AttachmentList, reply.json())).toBe(true);
  });

  it("filter by pod, network and sandbox", async () => {
    const { parts, send } = serve();

    await send({ method: "GET", url: "/v1/attachments" });
    await send({ method: "GET", url: "/v1/attachments?pod=default/web-0&network=a%2Fb&sandbox=c1" });

    expect(parts.operator.filters).toEqual([
      {},
      { pod: { namespace: "default", name: "web-0" }, network: "a/b", sandbox: "c1" },
    ]);
  });

  it.each(["pod=web-0", "pod=a/b/c", "pod=", "pod=a/b&pod=c/d", `sandbox=${"c".repeat(600)}`])(
    "refuse the filter %.30s",
    async (query) => {
      const { parts, send } = serve();

      const reply = await send({ method: "GET", url: `/v1/attachments?${query}` });

      expect(reply.statusCode).toBe(400);
      expect(reply.headers["x-multusd-failure"]).toBe("malformed-request");
      expect(parts.operator.filters).toEqual([]);
    },
  );

  it("send fields that the schema does not know yet", async () => {
    const { parts, send } = serve();
    parts.operator.deletions = [{ ...aDeletion, attemptedBy: "node-1" } as DeletionView];

    const { items } = (await send({ method: "GET", url: "/v1/deletions" })).json();

    expect(items[0]).toHaveProperty("attemptedBy", "node-1");
  });
});

describe("one deletion", () => {
  it("is shown by its ID", async () => {
    const { send } = serve();

    const reply = await send({ method: "GET", url: `/v1/deletions/${aDeletion.id}` });

    expect(reply.json()).toEqual(aDeletion);
    expect(Check(schemas.Deletion, reply.json())).toBe(true);
  });

  it.each([
    ["GET", "/v1/deletions/none"],
    ["POST", "/v1/deletions/none/retry"],
    ["POST", "/v1/deletions/none/abandon"],
  ] as const)("that is not there is 404 for %s %s", async (method, url) => {
    const { send } = serve();

    const reply = await send({ method, url, ...(method === "POST" ? { payload: { reason: "x" } } : {}) });

    expect(reply.statusCode).toBe(404);
    expect(reply.json().msg).toContain("none");
  });

  it("is tried again, with or without a body", async () => {
    const { send } = serve();

    for (const payload of [undefined, {}]) {
      const url = `/v1/deletions/${aDeletion.id}/retry`;
      const reply = await send({ method: "POST", url, ...(payload && { payload }) });
      expect(reply.json()).toEqual({ outcome: "failed", deletion: aDeletion });
      expect(Check(schemas.DeletionRetry, reply.json())).toBe(true);
    }
  });

  it("is abandoned with a reason", async () => {
    const { parts, send } = serve();

    const url = `/v1/deletions/${aDeletion.id}/abandon`;
    const reply = await send({ method: "POST", url, payload: { reason: " switch was replaced " } });

    expect(reply.statusCode).toBe(200);
    expect(parts.operator.abandoned).toEqual([{ id: aDeletion.id, reason: "switch was replaced" }]);
  });

  it.each([undefined, {}, { reason: "" }, { reason: "  " }, { reason: 7 }, { reason: "x".repeat(2000) }])(
    "is not abandoned for %j",
    async (payload) => {
      const { parts, send } = serve();

      const url = `/v1/deletions/${aDeletion.id}/abandon`;
      const reply = await send({ method: "POST", url, ...(payload && { payload }) });

      expect(reply.statusCode).toBe(400);
      expect(parts.operator.abandoned).toEqual([]);
    },
  );
});

describe("GET /v1/leaks", () => {
  it("lists records without a live sandbox, with what becomes of them", async () => {
    const { send, parts } = serve();
    expect((await send({ method: "GET", url: "/v1/leaks" })).json()).toEqual({ items: [] });
    parts.operator.leaks = [aLeak];

    const reply = await send({ method: "GET", url: "/v1/leaks" });

    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toEqual({ items: [aLeak] });
  });
});

describe("GET /v1/explain", () => {
  it("tells everything of a pod", async () => {
    const { send } = serve();

    const reply = await send({ method: "GET", url: "/v1/explain?pod=default/web-0" });

    expect(reply.json()).toMatchObject({ pod: { name: "web-0" }, next: ["wait for the next attempt"] });
    expect(Check(schemas.Explanation, reply.json())).toBe(true);
  });

  it("wants a pod", async () => {
    const { send } = serve();

    expect((await send({ method: "GET", url: "/v1/explain" })).statusCode).toBe(400);
  });
});

describe("the schemas of what operators see", () => {
  it("are the views' types, both ways", () => {
    expectTypeOf<AttachmentView>().toExtend<DeepReadonly<Static<typeof schemas.Attachment>>>();
    expectTypeOf<Static<typeof schemas.Attachment>>().toExtend<AttachmentView>();
    expectTypeOf<DeletionView>().toExtend<DeepReadonly<Static<typeof schemas.Deletion>>>();
    expectTypeOf<Static<typeof schemas.Deletion>>().toExtend<DeletionView>();
    expectTypeOf<DeletionRetryView>().toExtend<DeepReadonly<Static<typeof schemas.DeletionRetry>>>();
    expectTypeOf<ExplainView>().toExtend<DeepReadonly<Static<typeof schemas.Explanation>>>();
  });
});

describe("GET /openapi.json", () => {
  it("describes every route with the schemas that validate", async () => {
    const { send } = serve();

    const reply = await send({ method: "GET", url: "/openapi.json" });

    expect(reply.statusCode).toBe(200);
    const { openapi, info, paths } = reply.json();
    expect(openapi).toMatch(/^3\./);
    expect(info.version).toBe("1.2.3");
    expect(Object.keys(paths).sort()).toEqual([
      "/cni",
      "/delegate",
      "/healthz",
      "/metrics",
      "/openapi.json",
      "/readyz",
      "/v1/attachments",
      "/v1/deletions",
      "/v1/deletions/{id}",
      "/v1/deletions/{id}/abandon",
      "/v1/deletions/{id}/retry",
      "/v1/explain",
      "/v1/leaks",
    ]);
    const body = paths["/v1/deletions/{id}/abandon"].post.requestBody.content["application/json"].schema;
    expect(body.properties.reason.maxLength).toBe(1024);
    expect(body.required).toEqual(["reason"]);
  });

  it("is the same the second time", async () => {
    const { send } = serve();

    const [first, second] = [await send({ url: "/openapi.json" }), await send({ url: "/openapi.json" })];

    expect(second.body).toBe(first.body);
  });
});
