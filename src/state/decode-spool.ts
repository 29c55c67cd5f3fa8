import type { SpooledDeletion } from "../deletions/ports.ts";
import { type Decode, decimal, Fields, mapOf, ShapeError, text } from "./decode.ts";

/** What the shim wrote (docs/wire.md), all but the name of its file. */
export const spooledDeletion: Decode<Omit<SpooledDeletion, "name">> = (value, at) => {
  const fields = new Fields(value, at);
  return {
    env: fields.need("env", mapOf(text)),
    config: fields.need("config", base64Text),
    generation: { bootId: fields.need("bootId", text), startNs: fields.need("startNs", decimal) },
  };
};

/** Bytes that are no UTF-8 become U+FFFD, as they do in a request of the same shim. */
const base64Text: Decode<string> = (value, at) => {
  const encoded = text(value, at);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) throw new ShapeError(at, "base64");
  return Buffer.from(encoded, "base64").toString("utf8");
};
