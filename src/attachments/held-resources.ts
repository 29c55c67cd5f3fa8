import { isIPv6 } from "node:net";
import { convertResult, type NetworkList, type PluginConfiguration, parseResult } from "../cni/index.ts";
import { parseRecordedList } from "./recorded-list.ts";
import type { AttachmentRecord } from "./sandbox-record.ts";

/** What only one attachment of the node can have at a time. */
export interface HeldResource {
  readonly kind: "device" | "address";
  /** Equal for the same thing: a device on the node, an address inside one network (never inside a CNI `name`). */
  readonly key: string;
  /** For people: `device "0000:3b:02.1"`, `address 10.1.0.7 of network "default/blue"`. */
  readonly text: string;
  /** Known before the ADD; false for an address that an IPAM chose. */
  readonly isFixed: boolean;
  /** Indexes of the plugins whose DEL would act upon it. */
  readonly usedBy: readonly number[];
}

type Attachment = Pick<
  AttachmentRecord,
  "network" | "config" | "args" | "capabilityArgs" | "deviceId" | "result"
>;

/**
 * The devices and addresses of an attachment: what its selection, arguments and configuration ask for, and the
 * addresses of its result. What cannot be read holds nothing. Never throws.
 */
export function heldResources(attachment: Attachment): readonly HeldResource[] {
  const list = readList(attachment.config);
  if (list === undefined) return [];
  const found = new Map<string, HeldResource>();
  const add = (resource: HeldResource) => {
    if (!found.has(resource.key)) found.set(resource.key, resource);
  };
  for (const id of askedDevices(attachment)) add(device(id, usersOfAskedDevice(list)));
  for (const [index, plugin] of list.plugins.entries()) {
    for (const id of factsOf(plugin).devices) add(device(id, [index]));
  }
  const users = usersOfAddresses(list);
  const address = (text: string, isFixed: boolean) => {
    const canonical = canonicalAddress(text);
    if (canonical !== undefined) add(addressOf(attachment.network, canonical, isFixed, users));
  };
  for (const text of askedAddresses(attachment, list)) address(text, true);
  for (const text of resultAddresses(attachment.result)) address(text, false);
  return [...found.values()];
}

function device(id: string, usedBy: readonly number[]): HeldResource {
  return { kind: "device", key: `device\0${id}`, text: `device "${id}"`, isFixed: true, usedBy };
}

function addressOf(
  network: string,
  address: string,
  isFixed: boolean,
  usedBy: readonly number[],
): HeldResource {
  const text = `address ${address} of network "${network}"`;
  return { kind: "address", key: `address\0${network}\0${address}`, text, isFixed, usedBy };
}

function askedDevices({ deviceId, capabilityArgs }: Attachment): readonly string[] {
  const argument = jsonOf(capabilityArgs["deviceID"]);
  return [deviceId, argument].filter((id): id is string => typeof id === "string" && id !== "");
}

/** Those that say so; a list that says nothing hands it to the plugin that makes the interface. */
function usersOfAskedDevice({ plugins }: NetworkList): readonly number[] {
  const said = plugins.flatMap((plugin, index) =>
    plugin.capabilities["deviceID"] === true || factsOf(plugin).devices.length > 0 ? [index] : [],
  );
  return said.length > 0 ? said : [0];
}

/** `firewall` takes its rules away by the addresses of prevResult; others that are chained go by the container. */
function usersOfAddresses({ plugins }: NetworkList): readonly number[] {
  const users = plugins.flatMap((plugin, index) => {
    const isUser = plugin.ipamType !== undefined && plugin.ipamType !== "";
    return isUser || plugin.capabilities["ips"] === true || plugin.type === "firewall" ? [index] : [];
  });
  return users.length > 0 ? users : [0];
}

function askedAddresses({ args, capabilityArgs }: Attachment, { plugins }: NetworkList): readonly string[] {
  const ofArgs = args.flatMap(([key, value]) => (key === "IP" ? value.split(",") : []));
  const wanted = plugins.some((plugin) => plugin.capabilities["ips"] === true);
  const ofCapability = wanted ? textsOf(jsonOf(capabilityArgs["ips"])) : [];
  return [...ofArgs, ...ofCapability, ...plugins.flatMap((plugin) => factsOf(plugin).addresses)];
}

function resultAddresses(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  try {
    return (convertResult(parseResult(text, ""), "1.1.0").ips ?? []).map(({ address }) => address);
  } catch {
    return [];
  }
}

/** Without its prefix length, one spelling for each address; `undefined` for what is none. */
function canonicalAddress(text: string): string | undefined {
  const [address = ""] = text.trim().split("/");
  if (isIPv6(address) && !address.includes("%")) return new URL(`http://[${address}]/`).hostname.slice(1, -1);
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(address) ? address : undefined;
}

interface PluginFacts {
  readonly devices: readonly string[];
  readonly addresses: readonly string[];
}

/** A list is parsed once for all sandboxes of its network. */
const known = new WeakMap<PluginConfiguration, PluginFacts>();

function factsOf(plugin: PluginConfiguration): PluginFacts {
  const facts = known.get(plugin) ?? readFacts(plugin);
  known.set(plugin, facts);
  return facts;
}

/** Keys by which host-device, SR-IOV and their like name one device of the node. */
const deviceKeys = ["deviceID", "pciBusID"];
const hostDeviceKeys = ["device", "hwaddr", "kernelpath"];

function readFacts({ type, text }: PluginConfiguration): PluginFacts {
  const written = jsonOf(text);
  if (!isObject(written)) return { devices: [], addresses: [] };
  const keys = type === "host-device" ? [...deviceKeys, ...hostDeviceKeys] : deviceKeys;
  const devices = keys.map((key) => written[key]);
  const { ipam, args } = written;
  const fixed = isObject(ipam) && ipam["type"] === "static" ? listOf(ipam["addresses"]) : [];
  const cni = isObject(args) ? args["cni"] : undefined;
  return {
    devices: devices.filter((id): id is string => typeof id === "string" && id !== ""),
    addresses: [
      ...textsOf(fixed.map((each) => (isObject(each) ? each["address"] : undefined))),
      ...(isObject(cni) ? textsOf(cni["ips"]) : []),
    ],
  };
}

function readList(config: string): NetworkList | undefined {
  try {
    return parseRecordedList(config);
  } catch {
    return undefined;
  }
}

function jsonOf(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((each): each is string => typeof each === "string");
}
