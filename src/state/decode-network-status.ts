import type { NetworkStatus } from "../attachments/network-status.ts";
import { type Decode, Fields, integer, listOf, ShapeError, text } from "./decode.ts";

/** Key order is upstream's, as in the type: it is printed as it is. */
export const networkStatus: Decode<NetworkStatus> = (value, at) => {
  const fields = new Fields(value, at);
  return {
    name: fields.need("name", text),
    ...fields.may("interface", text),
    ...fields.may("ips", listOf(text)),
    ...fields.may("mac", text),
    ...fields.may("mtu", integer),
    ...fields.may("default", yesOrNo),
    dns: fields.need("dns", dns),
    ...fields.may("gateway", listOf(text)),
  };
};

const dns: Decode<NetworkStatus["dns"]> = (value, at) => {
  const fields = new Fields(value, at);
  return {
    ...fields.may("nameservers", listOf(text)),
    ...fields.may("domain", text),
    ...fields.may("search", listOf(text)),
    ...fields.may("options", listOf(text)),
  };
};

const yesOrNo: Decode<boolean> = (value, at) => {
  if (typeof value !== "boolean") throw new ShapeError(at, "yes or no");
  return value;
};
