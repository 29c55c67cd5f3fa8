import type { CniResult, LegacyIp, ResultDns, ResultInterface } from "./cni-result.ts";
import { isLegacyVersion } from "./result-family.ts";

/**
 * JSON text of a result in its own version, in one line, with libcni's rules of what is left out:
 * empty lists and texts and the number 0, but not `interface`, `table` and `scope`; `dns` from 1.0.0 on.
 */
export function printResult(result: CniResult): string {
  return JSON.stringify(resultToJson(result));
}

function resultToJson(result: CniResult): object {
  const { cniVersion } = result;
  const dns = dnsToJson(result.dns);
  if (isLegacyVersion(cniVersion)) {
    return { cniVersion, ip4: legacyIpToJson(result.ip4), ip6: legacyIpToJson(result.ip6), dns: dns ?? {} };
  }
  return {
    cniVersion,
    interfaces: unlessEmpty(result.interfaces.map(interfaceToJson)),
    ips: unlessEmpty(result.ips),
    routes: unlessEmpty(result.routes),
    dns: dns ?? (cniVersion.startsWith("0.") ? {} : undefined),
  };
}

function interfaceToJson({ pciId, ...rest }: ResultInterface): object {
  return pciId === undefined ? rest : { ...rest, pciID: pciId };
}

function legacyIpToJson(ip: LegacyIp | undefined): object | undefined {
  return ip === undefined ? undefined : { ip: ip.ip, gateway: ip.gateway, routes: unlessEmpty(ip.routes) };
}

function dnsToJson(dns: ResultDns): object | undefined {
  const { domain } = dns;
  const lists = [dns.nameservers, dns.search, dns.options];
  if (domain === undefined && lists.every((list) => list.length === 0)) return undefined;
  return {
    nameservers: unlessEmpty(dns.nameservers),
    domain,
    search: unlessEmpty(dns.search),
    options: unlessEmpty(dns.options),
  };
}

function unlessEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}
