import type { CniResult } from "../cni/index.ts";
import { convertResult } from "../cni/index.ts";
import type { NetworkStatus } from "./network-status.ts";

/**
 * A delegate's elements of the network-status annotation (multus reference §4.7): one for a result with exactly one
 * interface, else one for each interface in the sandbox.
 * @param name `ns/definition`, or the CNI name
 */
export function buildNetworkStatus(
  name: string,
  result: CniResult,
  isPrimary: boolean,
): readonly NetworkStatus[] {
  const { interfaces = [], ips = [], routes = [], dns } = convertResult(result, "1.1.0");
  const gateway = routes
    .filter((route) => isDefault(route.dst) && route.gw !== undefined && route.gw !== "")
    .map((route) => route.gw ?? "");
  const shared = { dns: withoutEmpty(dns), ...(gateway.length > 0 ? { gateway } : {}) };
  const inSandbox = interfaces
    .map((link, index) => ({ link, index }))
    .filter(({ link }) => (link.sandbox ?? "") !== "");
  if (interfaces.length === 1) {
    const link = interfaces[0];
    return [element(name, link, ips.map(addressOnly), isPrimary, shared)];
  }
  const withGateway = ips.find((ip) => (ip.gateway ?? "") !== "" && ip.interface !== undefined)?.interface;
  const defaultIndex = inSandbox.some(({ index }) => index === withGateway)
    ? withGateway
    : inSandbox[0]?.index;
  const last = inSandbox.at(-1)?.index;
  return inSandbox.map(({ link, index }) => {
    const own = ips.filter((ip) => (ip.interface ?? last) === index);
    return element(name, link, own.map(addressOnly), isPrimary && index === defaultIndex, shared);
  });
}

type Shared = Pick<NetworkStatus, "dns" | "gateway">;
type LinkFacts = {
  readonly name: string;
  readonly mac?: string;
  readonly mtu?: number;
  readonly sandbox?: string;
};

/** Key order is upstream's: people compare the annotation by eye and by text. */
function element(
  name: string,
  link: LinkFacts | undefined,
  ips: readonly string[],
  isDefaultLink: boolean,
  shared: Shared,
): NetworkStatus {
  const isInside = (link?.sandbox ?? "") !== "";
  return {
    name,
    ...(isInside && link?.name ? { interface: link.name } : {}),
    ...(ips.length > 0 ? { ips } : {}),
    ...(isInside && link?.mac ? { mac: link.mac } : {}),
    ...(isInside && link?.mtu ? { mtu: link.mtu } : {}),
    ...(isDefaultLink ? { default: true } : {}),
    dns: shared.dns,
    ...(shared.gateway === undefined ? {} : { gateway: shared.gateway }),
  };
}

/** Go leaves empty lists and texts out; `dns` itself is always there. */
function withoutEmpty(dns: CniResult["dns"] | undefined): NetworkStatus["dns"] {
  const said = Object.entries(dns ?? {}).filter(([, value]) => value !== undefined && value.length > 0);
  return Object.fromEntries(said);
}

function addressOnly(ip: { readonly address: string }): string {
  return ip.address.split("/")[0] ?? ip.address;
}

function isDefault(destination: string): boolean {
  return destination === "0.0.0.0/0" || destination === "::/0";
}
