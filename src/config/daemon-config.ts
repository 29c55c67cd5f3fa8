import type { ErrorPolicy } from "../attachments/error-policy.ts";
import type { ConfigProblem } from "./config-problem.ts";
import type { LogLevelName } from "./controller-fields.ts";
import type { ListenAddress } from "./schema-fields.ts";

/**
 * One whole, valid, frozen snapshot of `daemon-config.json`: names are the file's, defaults are filled in, durations
 * are milliseconds. What multusd does not act on (see `docs/configuration.md`) is only in `rawText`.
 */
export interface DaemonConfig {
  /** The file's exact text; its top-level keys are overlaid on the configuration of every request. */
  readonly rawText: string;
  /** Nothing that keeps the file from being used: unknown keys, keys without effect. */
  readonly warnings: readonly ConfigProblem[];

  /** Absent: plugins are not chrooted. */
  readonly chrootDir?: string;
  readonly socketDir: string;
  readonly cniDir: string;
  readonly binDir: string;
  readonly confDir: string;
  readonly stateDir: string;
  readonly requirePersistentState: boolean;

  readonly logLevel: LogLevelName;
  readonly logFile?: string;
  readonly logToStderr: boolean;
  readonly logOptions: LogRotation;

  readonly readinessIndicatorFile?: string;
  readonly delErrorPolicy: ErrorPolicy;
  /** By definition (`ns/name`) or network name. No prototype: a network may have any name. */
  readonly networks: Readonly<Record<string, NetworkConfig>>;
  readonly timeouts: Timeouts;
  readonly statusPolicy: "retry" | "require" | "skip";
  readonly limits: Limits;
  readonly collectLeftovers: {
    readonly previousBoot: "delete" | "report";
    readonly uncertain: "delete" | "report";
  };
  readonly kubernetes: "auto" | "off" | { readonly kubeconfig: string };
  readonly manifestDir?: string;
  readonly criSocket: string;
  readonly nodeReadinessTaint?: string;
  /** From `metricsAddress`, else from `metricsPort` on all addresses; absent: no TCP listener. */
  readonly metricsListen?: ListenAddress;
  readonly shutdownGraceMs: number;
  readonly keepConfigOnExit: boolean;
}

export interface LogRotation {
  /** 0: for ever. */
  readonly maxAgeDays: number;
  readonly maxSizeMb: number;
  /** 0: all. */
  readonly maxBackups: number;
  readonly compress: boolean;
}

export interface Timeouts {
  readonly addMs: number;
  readonly delMs: number;
  readonly checkMs: number;
  readonly statusMs: number;
  readonly gcMs: number;
  readonly pluginMs: number;
  readonly apiServerMs: number;
}

export interface Limits {
  readonly concurrentDelegates: "auto" | number;
  readonly queue: number;
  readonly reservedForDel: number;
  readonly deadLetters: number;
  readonly spoolEntries: number;
}

/** What is set for one network; absent members leave the general value. */
export interface NetworkConfig {
  readonly delErrorPolicy?: ErrorPolicy;
  readonly timeouts: Partial<Omit<Timeouts, "apiServerMs">>;
  readonly concurrency?: number;
  readonly onOwedResource?: "proceed" | "wait" | "refuse";
  readonly pinNamespaces: "devices" | "all" | "none";
  readonly parallel: boolean;
}
