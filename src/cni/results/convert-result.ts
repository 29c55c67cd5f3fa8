import { excerpt } from "../errors/excerpt.ts";
import { InvalidResultError, UnsupportedVersionError } from "../errors/result-errors.ts";
import type { CniResult, LegacyIp, ResultIp, ResultRoute } from "./cni-result.ts";
import { isSupportedVersion } from "./cni-version.ts";
import { isIpv4 } from "./ip-address.ts";
import { hasIpVersions, isLegacyVersion, withIpVersions, withoutIpVersions } from "./result-family.ts";

/**
 * The result in another version, the order of its entries kept; the empty version means 0.1.0.
 * What the other version has no place for is left out.
 * @throws {UnsupportedVersionError} for an unknown version
 * @throws {InvalidResultError} if 0.1.0 or 0.2.0 is wanted and there is no address
 * @see libcni `convert.Convert`
 */
export function convertResult(result: CniResult, version: string): CniResult {
  const target = version === "" ? "0.1.0" : version;
  if (result.cniVersion === target) return result;
  if (!isSupportedVersion(target)) {
    throw new UnsupportedVersionError(
      `no converter for CNI result version ${result.cniVersion} to ${excerpt(target)}`,
    );
  }
  const relabelled = { ...result, cniVersion: target };
  if (isLegacyVersion(result.cniVersion) === isLegacyVersion(target)) return toFamily(relabelled);
  return isLegacyVersion(target)
    ? fromLists(
        toFamily({ ...result, cniVersion: hasIpVersions(result.cniVersion) ? result.cniVersion : "0.4.0" }),
        target,
      )
    : toFamily(fromLegacy(result, target));
}

function toFamily(result: CniResult): CniResult {
  if (isLegacyVersion(result.cniVersion)) return result;
  return hasIpVersions(result.cniVersion) ? withIpVersions(result) : withoutIpVersions(result);
}

function fromLegacy(result: CniResult, cniVersion: string): CniResult {
  const { ip4, ip6, dns } = result;
  const slots = [
    { ip: ip4, version: "4" },
    { ip: ip6, version: "6" },
  ];
  return {
    cniVersion,
    interfaces: [],
    // The slot decides on the version, even if it holds an address of the other family.
    ips: slots.flatMap(({ ip, version }) => (ip === undefined ? [] : [fromLegacyIp(ip, version)])),
    routes: slots.flatMap(({ ip }) => ip?.routes ?? []),
    dns,
  };
}

function fromLegacyIp(ip: LegacyIp, version: string): ResultIp {
  return { version, address: ip.ip, ...(ip.gateway === undefined ? {} : { gateway: ip.gateway }) };
}

function fromLists(result: CniResult, cniVersion: string): CniResult {
  const ip4 = firstOf(result, "4");
  const ip6 = firstOf(result, "6");
  if (ip4 === undefined && ip6 === undefined) {
    throw new InvalidResultError("cannot convert: no valid IP addresses");
  }
  return {
    cniVersion,
    interfaces: [],
    ips: [],
    routes: [],
    dns: result.dns,
    ...(ip4 === undefined ? {} : { ip4 }),
    ...(ip6 === undefined ? {} : { ip6 }),
  };
}

function firstOf(result: CniResult, version: "4" | "6"): LegacyIp | undefined {
  const ip = result.ips.find((candidate) => candidate.version === version);
  if (ip === undefined) return undefined;
  const routes = result.routes
    .filter((route) => isIpv4(route.dst) === (version === "4"))
    .map(withoutAttributes);
  return { ip: ip.address, ...(ip.gateway === undefined ? {} : { gateway: ip.gateway }), routes };
}

function withoutAttributes(route: ResultRoute): ResultRoute {
  return { dst: route.dst, ...(route.gw === undefined ? {} : { gw: route.gw }) };
}
