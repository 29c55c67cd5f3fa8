import { Type } from "typebox";
import { flag, notUsed, text } from "./schema-fields.ts";

const noPublishing = "multusd does not write the runtime's CNI configuration yet";

/** Upstream's `MultusConf`: what the generated CNI configuration of the runtime is made from. */
export const generatorFields = {
  cniVersion: Type.Optional(
    text({
      description: "CNI version of the multus configuration; overlaid on every request.",
      defaultText: "the request's",
    }),
  ),
  name: Type.Optional(
    text({
      description: "Network name of the multus configuration.",
      defaultText: "the request's",
      inactive: notUsed,
    }),
  ),
  type: Type.Optional(
    text({ description: "Plugin that the runtime runs.", default: "multus-shim", inactive: noPublishing }),
  ),
  capabilities: Type.Optional(
    Type.Unsafe<Readonly<Record<string, boolean>>>({
      type: "object",
      additionalProperties: { type: "boolean" },
      description: "Capabilities that the generated configuration offers to the runtime.",
      default: {},
      inactive: noPublishing,
    }),
  ),
  binDir: Type.Optional(
    text({ description: "First directory that plugins are looked for in.", default: "/opt/cni/bin" }),
  ),
  cniDir: Type.Optional(
    text({
      description: "Directory of upstream's scratch files and of libcni's result cache.",
      default: "/var/lib/cni/multus",
    }),
  ),
  cniConfigDir: Type.Optional(
    text({
      description: "Directory that the runtime reads its CNI configuration from.",
      default: "/etc/cni/net.d",
      inactive: noPublishing,
    }),
  ),
  multusConfigFile: Type.Optional(
    text({
      description: "`auto`, or a file that is copied to `cniConfigDir`.",
      default: "auto",
      inactive: noPublishing,
    }),
  ),
  multusAutoconfigDir: Type.Optional(
    text({
      description: "Directory in which the primary network's configuration is looked for.",
      defaultText: "none",
      inactive: noPublishing,
    }),
  ),
  multusMasterCNI: Type.Optional(
    text({
      description: "File name of the primary network's configuration.",
      defaultText: "the first by name",
      inactive: noPublishing,
    }),
  ),
  daemonSocketDir: Type.Optional(
    text({
      description: "Directory in which the shim looks for the socket.",
      defaultText: "`/run/multus/` in the shim",
      inactive: noPublishing,
    }),
  ),
  forceCNIVersion: Type.Optional(
    flag({
      description: "Rewrite the primary network's file with this `cniVersion`.",
      default: false,
      inactive: "a file of somebody else is never rewritten",
    }),
  ),
  overrideNetworkName: Type.Optional(
    flag({
      description: "Give the generated configuration the primary network's name.",
      default: false,
      inactive: noPublishing,
    }),
  ),
};
