import { type Static, Type } from "typebox";
import { controllerFields } from "./controller-fields.ts";
import { generatorFields } from "./generator-fields.ts";
import { multusdFields } from "./multusd-fields.ts";
import { requestFields } from "./request-fields.ts";

/**
 * The one truth about `daemon-config.json`: what is accepted, what a key means, what stands in for it. The loader
 * checks against it and `docs/configuration.md` is generated from it.
 */
export const daemonConfigSchema = Type.Object({
  ...multusdFields,
  ...controllerFields,
  ...generatorFields,
  ...requestFields,
});

/** A file that passed the schema: values as written, without defaults. */
export type DaemonConfigFile = Static<typeof daemonConfigSchema>;
