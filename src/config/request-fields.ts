import { Type } from "typebox";
import { anyObject, flag, notUsed, text, texts } from "./schema-fields.ts";

/** Upstream's `NetConf`: overlaid on the configuration of every request, whatever that says. */
export const requestFields = {
  clusterNetwork: Type.Optional(
    text({
      description:
        "The primary network: a definition in `multusNamespace`, a network name in `confDir`, a directory or a file.",
      defaultText: "the request's",
    }),
  ),
  defaultNetworks: Type.Optional(
    texts({
      description:
        "Further networks of every pod outside of `systemNamespaces`; named as in `clusterNetwork`.",
      defaultText: "the request's",
    }),
  ),
  delegates: Type.Optional(
    Type.Array(anyObject({ description: "" }), {
      description: "The networks themselves, where no `clusterNetwork` is set.",
      defaultText: "the request's",
    }),
  ),
  confDir: Type.Optional(
    text({
      description: "CNI configuration files for definitions without `spec.config` and for network names.",
      default: "/etc/cni/multus/net.d",
    }),
  ),
  systemNamespaces: Type.Optional(
    texts({ description: "Namespaces whose pods get no `defaultNetworks`.", default: ["kube-system"] }),
  ),
  multusNamespace: Type.Optional(
    text({
      description: "Namespace of definitions that `clusterNetwork` and `defaultNetworks` name.",
      default: "kube-system",
    }),
  ),
  namespaceIsolation: Type.Optional(
    flag({
      description: "Pods may name only definitions of their own namespace or of `globalNamespaces`.",
      default: false,
    }),
  ),
  globalNamespaces: Type.Optional(
    text({
      description: "Comma list of namespaces whose definitions every pod may use.",
      defaultText: "`default`",
    }),
  ),
  readinessindicatorfile: Type.Optional(
    text({
      description: "File that appears when the primary network is ready; ADD waits for it up to 45 s.",
      defaultText: "none",
    }),
  ),
  auxiliaryCNIChainName: Type.Optional(
    text({
      description: "Name of a further chain of plugins from files.",
      defaultText: "none",
      inactive: "not built yet",
    }),
  ),
  retryDeleteOnError: Type.Optional(
    flag({
      description: "Keep upstream's scratch file when a DEL fails.",
      default: false,
      inactive: "what a failed DEL owes is always kept; see `delErrorPolicy`",
    }),
  ),
  kubeconfig: Type.Optional(
    text({ description: "Credentials of upstream's thin plugin.", defaultText: "none", inactive: notUsed }),
  ),
  runtimeConfig: Type.Optional(
    anyObject({
      description: "Capability arguments, which the runtime sends with each request.",
      inactive: "only what the runtime sends counts",
    }),
  ),
  ipam: Type.Optional(anyObject({ description: "Key of every CNI configuration.", inactive: notUsed })),
  dns: Type.Optional(anyObject({ description: "Key of every CNI configuration.", inactive: notUsed })),
  prevResult: Type.Optional(anyObject({ description: "Key of every CNI configuration.", inactive: notUsed })),
};
