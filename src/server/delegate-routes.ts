import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import * as Type from "typebox";
import { Failure } from "../attachments/failure.ts";
import type { InterfaceAttributes } from "../attachments/invocation.ts";
import { type Carry, carryOut } from "./carry-out.ts";
import { CniErrorBody } from "./cni-error-body.ts";
import { DelegateRequest, TimeHeaders, UpstreamReply } from "./cni-schemas.ts";
import type { Intake } from "./intake.ts";
import { sendResult } from "./send-result.ts";
import type { ServerParts } from "./server-parts.ts";

/** `POST /delegate`: hot-plug clients attach one more network to a running pod, or take it off (multus reference §2.6). */
export function registerDelegateRoutes(app: FastifyInstance, parts: ServerParts, intake: Intake): void {
  app.post(
    "/delegate",
    {
      attachValidation: true,
      schema: {
        summary: "attach or detach one network of a running pod",
        body: DelegateRequest,
        headers: TimeHeaders,
        response: { 200: Type.Union([UpstreamReply, Type.Unknown()]), default: CniErrorBody },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const carry: Carry<string | undefined> = async ({ cni }, { invocation }, signal) => {
        switch (invocation.command) {
          case "ADD":
            return await cni.attachDelegate(invocation, readAttributes(request), signal);
          case "DEL":
            await cni.detachDelegate(invocation, signal);
            return undefined;
          case "CHECK":
            // What was hot-plugged is an entry of its own, found by its interface.
            await cni.check(invocation, signal);
            return undefined;
          case "STATUS":
            await cni.statusOfDelegate(invocation, signal);
            return undefined;
          default:
            throw new Failure("malformed-request", `unknown cmd type: ${invocation.command}`, { code: 4 });
        }
      };
      return await sendResult(request, reply, await carryOut(request, reply, parts, intake, carry));
    },
  );
}

/** Of an ADD, whose body the schema has been held against. */
function readAttributes(request: FastifyRequest): InterfaceAttributes {
  const { interfaceAttributes = {} } = request.body as DelegateRequest;
  const { ips, mac, "cni-args": cniArgs } = interfaceAttributes;
  return {
    ...(ips === undefined ? {} : { ips }),
    ...(mac === undefined ? {} : { mac }),
    ...(cniArgs === undefined ? {} : { cniArgs: JSON.stringify(cniArgs) }),
  };
}
