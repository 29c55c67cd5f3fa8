import { join } from "node:path";
import type { ErrorPolicy } from "../attachments/error-policy.ts";
import { defaultErrorPolicy, parseErrorPolicy } from "../attachments/parse-error-policy.ts";
import { parseDurationMs } from "../foundation/duration.ts";
import type { ConfigProblem } from "./config-problem.ts";
import { isLogLevel, type LogLevelName } from "./controller-fields.ts";
import type { DaemonConfig, Limits, LogRotation, NetworkConfig, Timeouts } from "./daemon-config.ts";
import type { DaemonConfigFile } from "./daemon-config-schema.ts";
import { type ListenAddress, parseListenAddress } from "./schema-fields.ts";

/** Fills in defaults and units. `file` has passed `checkDaemonConfig`, so nothing here can fail. */
export function buildDaemonConfig(
  file: DaemonConfigFile,
  rawText: string,
  warnings: readonly ConfigProblem[],
): DaemonConfig {
  const cniDir = file.cniDir || "/var/lib/cni/multus";
  const metricsListen = readMetricsListen(file);
  return deepFreeze({
    rawText,
    warnings,
    ...defined("chrootDir", file.chrootDir || undefined),
    socketDir: file.socketDir || "/run/multus/",
    cniDir,
    binDir: file.binDir || "/opt/cni/bin",
    confDir: file.confDir || "/etc/cni/multus/net.d",
    stateDir: file.stateDir ?? join(cniDir, "multusd"),
    requirePersistentState: file.requirePersistentState ?? false,
    logLevel: readLogLevel(file.logLevel),
    ...defined("logFile", file.logFile || undefined),
    logToStderr: file.logToStderr ?? true,
    logOptions: readRotation(file.logOptions),
    ...defined("readinessIndicatorFile", file.readinessindicatorfile || undefined),
    delErrorPolicy: readPolicy(file.delErrorPolicy) ?? defaultErrorPolicy,
    networks: readNetworks(file.networks),
    timeouts: readTimeouts(file.timeouts),
    statusPolicy: file.statusPolicy ?? "retry",
    limits: readLimits(file.limits),
    collectLeftovers: {
      previousBoot: file.collectLeftovers?.previousBoot ?? "delete",
      uncertain: file.collectLeftovers?.uncertain ?? "report",
    },
    kubernetes: file.kubernetes ?? "auto",
    ...defined("manifestDir", file.manifestDir),
    criSocket: file.criSocket ?? "auto",
    ...defined("nodeReadinessTaint", file.nodeReadinessTaint),
    ...defined("metricsListen", metricsListen),
    shutdownGraceMs: parseDurationMs(file.shutdownGrace ?? "25s"),
    keepConfigOnExit: file.keepConfigOnExit ?? true,
  });
}

function readLogLevel(text = ""): LogLevelName {
  const name = text.toLowerCase();
  return isLogLevel(name) ? name : "info";
}

function readRotation(options: DaemonConfigFile["logOptions"]): LogRotation {
  return {
    maxAgeDays: options?.maxAge ?? 5,
    maxSizeMb: options?.maxSize ?? 100,
    maxBackups: options?.maxBackups ?? 5,
    compress: options?.compress ?? true,
  };
}

const defaultTimeouts: Timeouts = {
  addMs: 120_000,
  delMs: 40_000,
  checkMs: 30_000,
  statusMs: 3_000,
  gcMs: 120_000,
  pluginMs: 60_000,
  apiServerMs: 5_000,
};

function readTimeouts(file: DaemonConfigFile["timeouts"]): Timeouts {
  return { ...defaultTimeouts, ...readSomeTimeouts(file) };
}

function readSomeTimeouts(file: Readonly<Record<string, string | undefined>> = {}): Partial<Timeouts> {
  const known = Object.entries(file).filter(([key]) => `${key}Ms` in defaultTimeouts);
  return Object.fromEntries(known.map(([key, text]) => [`${key}Ms`, parseDurationMs(text ?? "")]));
}

function readLimits(limits: DaemonConfigFile["limits"]): Limits {
  const concurrentDelegates = limits?.concurrentDelegates ?? "auto";
  const reservable = concurrentDelegates === "auto" ? 2 : concurrentDelegates - 1;
  return {
    concurrentDelegates,
    queue: limits?.queue ?? 1000,
    reservedForDel: limits?.reservedForDel ?? Math.min(2, reservable),
    deadLetters: limits?.deadLetters ?? 10_000,
    spoolEntries: limits?.spoolEntries ?? 10_000,
  };
}

function readNetworks(networks: DaemonConfigFile["networks"]): Readonly<Record<string, NetworkConfig>> {
  const read: Record<string, NetworkConfig> = Object.create(null);
  for (const [name, network] of Object.entries(networks ?? {})) {
    read[name] = {
      ...defined("delErrorPolicy", readPolicy(network.delErrorPolicy)),
      timeouts: readSomeTimeouts(network.timeouts),
      ...defined("concurrency", network.concurrency),
      ...defined("onOwedResource", network.onOwedResource),
      pinNamespaces: network.pinNamespaces ?? "devices",
      parallel: network.parallel ?? false,
    };
  }
  return read;
}

function readPolicy(value: unknown): ErrorPolicy | undefined {
  const parsed = value === undefined ? undefined : parseErrorPolicy(value, "delErrorPolicy");
  return parsed !== undefined && "policy" in parsed ? parsed.policy : undefined;
}

function readMetricsListen(file: DaemonConfigFile): ListenAddress | undefined {
  if (file.metricsAddress !== undefined) return parseListenAddress(file.metricsAddress);
  return file.metricsPort === undefined ? undefined : { port: file.metricsPort };
}

/** A member that is there or not: exact optional properties know no `undefined`. */
function defined<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
