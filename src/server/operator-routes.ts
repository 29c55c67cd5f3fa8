import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import type { TSchema } from "typebox";
import type { AttachmentFilter, OperatorQueries } from "../attachments/views.ts";
import { callerSignal } from "./caller-signal.ts";
import { CniErrorBody } from "./cni-error-body.ts";
import type { Intake } from "./intake.ts";
import * as schemas from "./operator-schemas.ts";
import type { ServerParts } from "./server-parts.ts";
import { UnservedRequestError } from "./unserved-request-error.ts";
import { whenStarted } from "./when-started.ts";

/** The parts of a request and its reply that a question needs. */
interface Exchange {
  readonly request: { readonly raw: Parameters<typeof callerSignal>[0] };
  readonly reply: { readonly raw: Parameters<typeof callerSignal>[1] };
}
/** Runs one question or act; a shutdown waits for it. */
type Ask = <T>(
  request: Exchange["request"],
  reply: Exchange["reply"],
  question: (queries: OperatorQueries) => Promise<T>,
) => Promise<T>;

/** `/v1/…`: what an operator can ask and do. */
export function registerOperatorRoutes(app: FastifyInstance, parts: ServerParts, intake: Intake): void {
  const ask: Ask = async (request, reply, question) => {
    const signal = callerSignal(request.raw, reply.raw);
    return await intake.run(async () => await question((await whenStarted(parts, signal)).operator));
  };
  registerListings(app, ask);
  registerDeletion(app, ask);
}

function registerListings(instance: FastifyInstance, ask: Ask): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>();
  app.get(
    "/v1/attachments",
    {
      schema: {
        summary: "what is attached, per sandbox and network",
        querystring: schemas.AttachmentQuery,
        response: replies(schemas.AttachmentList),
      },
    },
    async (request, reply) =>
      await ask(request, reply, async (queries) => ({
        items: await queries.listAttachments(toFilter(request.query)),
      })),
  );
  app.get(
    "/v1/deletions",
    { schema: { summary: "deletions that are owed or given up", response: replies(schemas.DeletionList) } },
    async (request, reply) =>
      await ask(request, reply, async (queries) => ({ items: await queries.listDeletions() })),
  );
  app.get(
    "/v1/leaks",
    {
      schema: {
        summary: "records that no live sandbox stands behind, and what is done with them",
        response: replies(schemas.LeakList),
      },
    },
    async (request, reply) =>
      await ask(request, reply, async (queries) => ({ items: await queries.listLeaks() })),
  );
  app.get(
    "/v1/explain",
    {
      schema: {
        summary: "everything known of a pod",
        querystring: schemas.ExplainQuery,
        response: replies(schemas.Explanation),
      },
    },
    async (request, reply) =>
      await ask(request, reply, async (queries) => await queries.explain(toPod(request.query.pod))),
  );
}

function registerDeletion(instance: FastifyInstance, ask: Ask): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>();
  const params = schemas.DeletionParameters;
  app.get(
    "/v1/deletions/:id",
    { schema: { summary: "one deletion", params, response: replies(schemas.Deletion) } },
    async (request, reply) => {
      const { id } = request.params;
      return found(id, await ask(request, reply, async (queries) => await queries.findDeletion(id)));
    },
  );
  app.post(
    "/v1/deletions/:id/retry",
    { schema: { summary: "try a deletion now", params, response: replies(schemas.DeletionRetry) } },
    async (request, reply) => {
      const { id } = request.params;
      return found(id, await ask(request, reply, async (queries) => await queries.retryDeletion(id)));
    },
  );
  app.post(
    "/v1/deletions/:id/abandon",
    {
      schema: {
        summary: "give a deletion up for good",
        params,
        body: schemas.Abandonment,
        response: replies(schemas.Deletion),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const reason = request.body.reason.trim();
      return found(
        id,
        await ask(request, reply, async (queries) => await queries.abandonDeletion(id, reason)),
      );
    },
  );
}

/** The types are left out: response schemas describe, a view is sent as it is. */
function replies(schema: TSchema): { readonly 200: TSchema; readonly default: TSchema } {
  return { 200: schema, default: CniErrorBody };
}

function found<T>(id: string, view: T | undefined): T {
  if (view !== undefined) return view;
  throw new UnservedRequestError(404, `there is no deletion ${id.slice(0, 80)}; it may have been settled`);
}

function toPod(text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = ""] = text.split("/");
  return { namespace, name };
}

function toFilter(query: { pod?: string; network?: string; sandbox?: string }): AttachmentFilter {
  const { pod, ...rest } = query;
  return pod === undefined ? rest : { ...rest, pod: toPod(pod) };
}
