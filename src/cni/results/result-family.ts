import type { CniResult, ResultInterface } from "./cni-result.ts";
import { isIpv4 } from "./ip-address.ts";

/** 0.1.0 and 0.2.0: one address a family, in `ip4` and `ip6`. */
export function isLegacyVersion(version: string): boolean {
  return version === "0.1.0" || version === "0.2.0";
}

/** 0.3.0 to 0.4.0: each address says its family, an interface has three keys. */
export function hasIpVersions(version: string): boolean {
  return version === "0.3.0" || version === "0.3.1" || version === "0.4.0";
}

/** As 0.3.0 to 0.4.0 have it: addresses without a version get the one of their family. */
export function withIpVersions(result: CniResult): CniResult {
  return {
    ...result,
    interfaces: result.interfaces.map(withOldKeys),
    ips: result.ips.map((ip) => ({ ...ip, version: ip.version ?? (isIpv4(ip.address) ? "4" : "6") })),
  };
}

/** As 1.0.0 and 1.1.0 have it. */
export function withoutIpVersions(result: CniResult): CniResult {
  return { ...result, ips: result.ips.map(({ version: _version, ...ip }) => ip) };
}

function withOldKeys({ name, mac, sandbox }: ResultInterface): ResultInterface {
  return { name, ...(mac === undefined ? {} : { mac }), ...(sandbox === undefined ? {} : { sandbox }) };
}
