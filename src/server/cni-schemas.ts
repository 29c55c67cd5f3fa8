import type { Static } from "typebox";
import * as Type from "typebox";

/** Media type with which our own shim asks for a reply that it can print as it is. */
export const negotiatedType = "application/vnd.multusd.v1+json";

/** Body of `POST /cni`. Other keys are passed over. */
export const CniRequest = Type.Object(
  {
    env: Type.Record(Type.String(), Type.String(), {
      description: "the shim's environment; only CNI_* is read",
    }),
    config: Type.String({ description: "the bytes that the shim read from stdin, base64" }),
  },
  { description: "one CNI request. A DEL is taken with less, as long as its container can be told" },
);

/** Body of `POST /delegate`: `config` is the delegate's own list or plugin configuration. */
export const DelegateRequest = Type.Object({
  ...CniRequest.properties,
  interfaceAttributes: Type.Optional(
    Type.Object({
      ips: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
      mac: Type.Optional(Type.String()),
      "cni-args": Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
});

export type DelegateRequest = Static<typeof DelegateRequest>;

/** Reply to ADD in upstream's form. */
export const UpstreamReply = Type.Object({
  Result: Type.Unknown({ description: "the primary network's result, CNI version 1.1.0" }),
});

/** What the shim says about time (docs/wire.md); one that cannot be read counts as absent. */
export const TimeHeaders = Type.Object({
  "x-multusd-boot": Type.Optional(Type.String({ description: "boot id" })),
  "x-multusd-start": Type.Optional(Type.String({ description: "CLOCK_MONOTONIC in ns at the shim's start" })),
  "x-multusd-deadline": Type.Optional(
    Type.String({ description: "CLOCK_MONOTONIC in ns at which it gives up" }),
  ),
});
