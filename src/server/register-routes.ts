import type { FastifyInstance } from "fastify";
import { registerCniRoutes } from "./cni-routes.ts";
import { registerDelegateRoutes } from "./delegate-routes.ts";
import type { Intake } from "./intake.ts";
import { registerMetricsRoutes } from "./metrics-routes.ts";
import { registerOpenapiRoute } from "./openapi-route.ts";
import { registerOperatorRoutes } from "./operator-routes.ts";
import { registerProbeRoutes } from "./probe-routes.ts";
import type { ServerParts } from "./server-parts.ts";

/** Every route of contract §2. `describe` makes the document of `/openapi.json`. */
export function registerRoutes(
  app: FastifyInstance,
  parts: ServerParts,
  intake: Intake,
  describe: () => Promise<object>,
): void {
  registerCniRoutes(app, parts, intake);
  registerDelegateRoutes(app, parts, intake);
  registerProbeRoutes(app, parts, intake);
  registerMetricsRoutes(app, parts);
  registerOperatorRoutes(app, parts, intake);
  registerOpenapiRoute(app, describe);
}
