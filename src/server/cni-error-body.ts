import type { Static } from "typebox";
import * as Type from "typebox";

/** Body of every failure (SPEC.md "Error"); `details` is absent where there is nothing to add. */
export const CniErrorBody = Type.Object({
  cniVersion: Type.String({ description: "version of the caller's configuration, else 1.1.0" }),
  code: Type.Integer({ minimum: 0 }),
  msg: Type.String(),
  details: Type.Optional(Type.String()),
});

export type CniErrorBody = Static<typeof CniErrorBody>;
