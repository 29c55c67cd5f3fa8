/**
 * What a plugin answers to ADD, normalised: addresses in canonical text, unknown keys gone, absent lists empty.
 * One type for all versions of the specification; which fields are used depends on `cniVersion`
 * (SPEC.md §5 "ADD Success"; libcni `types/020`, `types/040`, `types/100`).
 */
export interface CniResult {
  /** One of `supportedVersions`. */
  readonly cniVersion: string;
  /** From 0.3.0 on. */
  readonly interfaces: readonly ResultInterface[];
  /** From 0.3.0 on. */
  readonly ips: readonly ResultIp[];
  /** From 0.3.0 on; before they are in `ip4` and `ip6`. */
  readonly routes: readonly ResultRoute[];
  readonly dns: ResultDns;
  /** 0.1.0 and 0.2.0 only. */
  readonly ip4?: LegacyIp;
  /** 0.1.0 and 0.2.0 only. */
  readonly ip6?: LegacyIp;
}

export interface ResultInterface {
  readonly name: string;
  readonly mac?: string;
  /** From 1.0.0 on, like `socketPath` and `pciId`; never 0. */
  readonly mtu?: number;
  /** Path of the namespace; absent for an interface of the host. */
  readonly sandbox?: string;
  readonly socketPath?: string;
  /** `pciID` in JSON. */
  readonly pciId?: string;
}

export interface ResultIp {
  /** 0.3.0 to 0.4.0 only: `4`, `6`, or whatever a plugin wrote. */
  readonly version?: string;
  /** Index into `interfaces`; not checked. */
  readonly interface?: number;
  /** Address and prefix length, such as `10.1.0.5/16`. */
  readonly address: string;
  readonly gateway?: string;
}

export interface ResultRoute {
  /** Address and prefix length; bits of the host part are kept. */
  readonly dst: string;
  readonly gw?: string;
  /** Never 0, like `advmss` and `priority`. */
  readonly mtu?: number;
  readonly advmss?: number;
  readonly priority?: number;
  readonly table?: number;
  readonly scope?: number;
}

export interface ResultDns {
  readonly nameservers: readonly string[];
  readonly domain?: string;
  readonly search: readonly string[];
  readonly options: readonly string[];
}

export interface LegacyIp {
  /** Address and prefix length. */
  readonly ip: string;
  readonly gateway?: string;
  readonly routes: readonly ResultRoute[];
}
