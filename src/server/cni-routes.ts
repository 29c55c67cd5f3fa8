import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import * as Type from "typebox";
import type { CniOperations } from "../attachments/invocation.ts";
import { type Carry, carryOut } from "./carry-out.ts";
import { CniErrorBody } from "./cni-error-body.ts";
import { CniRequest, TimeHeaders, UpstreamReply } from "./cni-schemas.ts";
import type { Intake } from "./intake.ts";
import { sendResult } from "./send-result.ts";
import type { ServerParts } from "./server-parts.ts";

/** `POST /cni`: what a runtime asks, through our shim or upstream's. */
export function registerCniRoutes(app: FastifyInstance, parts: ServerParts, intake: Intake): void {
  app.post(
    "/cni",
    {
      // The reader decides: a DEL is taken with less than the schema says.
      attachValidation: true,
      schema: {
        summary: "one CNI request",
        body: CniRequest,
        headers: TimeHeaders,
        response: { 200: Type.Union([UpstreamReply, Type.Unknown()]), default: CniErrorBody },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const result = await carryOut(request, reply, parts, intake, dispatch);
      return await sendResult(request, reply, result);
    },
  );
}

const dispatch: Carry<string | undefined> = async ({ cni }, { invocation }, signal) => {
  return await operations[invocation.command](cni, invocation, signal);
};

type Run = (cni: CniOperations, ...call: Parameters<CniOperations["add"]>) => Promise<string | undefined>;

const operations: Readonly<Record<Parameters<CniOperations["add"]>[0]["command"], Run>> = {
  ADD: (cni, ...call) => cni.add(...call),
  DEL: (cni, ...call) => withoutResult(cni.delete(...call)),
  CHECK: (cni, ...call) => withoutResult(cni.check(...call)),
  STATUS: (cni, ...call) => withoutResult(cni.status(...call)),
  GC: (cni, ...call) => withoutResult(cni.collectGarbage(...call)),
};

async function withoutResult(done: Promise<void>): Promise<undefined> {
  await done;
}
