/** One element of the annotation `k8s.v1.cni.cncf.io/network-status`; key order is upstream's. */
export interface NetworkStatus {
  readonly name: string;
  readonly interface?: string;
  readonly ips?: readonly string[];
  readonly mac?: string;
  readonly mtu?: number;
  readonly default?: boolean;
  readonly dns: {
    readonly nameservers?: readonly string[];
    readonly domain?: string;
    readonly search?: readonly string[];
    readonly options?: readonly string[];
  };
  readonly gateway?: readonly string[];
}
