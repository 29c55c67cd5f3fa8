/** One element of the annotation `k8s.v1.cni.cncf.io/networks`. Values that go to plugins keep their JSON text. */
export interface NetworkSelection {
  readonly namespace: string;
  readonly name: string;
  /** Interface name that was asked for. */
  readonly interface?: string;
  readonly ips?: readonly string[];
  readonly mac?: string;
  readonly infinibandGuid?: string;
  readonly portMappings?: string;
  readonly bandwidth?: string;
  readonly deviceId?: string;
  /** JSON object text that goes into `args.cni`. */
  readonly cniArgs?: string;
  readonly defaultRoute?: readonly string[];
}

export const networksAnnotation = "k8s.v1.cni.cncf.io/networks";
export const defaultNetworkAnnotation = "v1.multus-cni.io/default-network";
export const policyAnnotation = "multusd.io/del-error-policy";
