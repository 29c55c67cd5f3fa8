import { Type } from "typebox";
import { anyObject, checked, count, flag, text } from "./schema-fields.ts";

/** Names of upstream's levels, and those that other programs use for the same. */
export const logLevels = [
  "panic",
  "fatal",
  "error",
  "warn",
  "warning",
  "info",
  "verbose",
  "debug",
  "trace",
] as const;
export type LogLevelName = (typeof logLevels)[number];

/** Upstream's `ControllerNetConf`: the daemon itself. */
export const controllerFields = {
  chrootDir: Type.Optional(
    text({
      description:
        "Directory that plugins are chrooted into. They are looked for outside of it, so plugin directories must have the same path inside and outside.",
      defaultText: "none: plugins run in the daemon's own root",
    }),
  ),
  socketDir: Type.Optional(
    checked<string>("string", socketDirProblem, {
      description:
        "Directory of the daemon's socket `multus.sock`. Made with mode 0700; a directory that is there already is kept.",
      default: "/run/multus/",
    }),
  ),
  logFile: Type.Optional(
    text({
      description: "File for the log, made with mode 0600, in addition to stderr.",
      defaultText: "none",
    }),
  ),
  logLevel: Type.Optional(
    checked<string>("string", logLevelProblem, {
      description: `One of ${logLevels.map((level) => `\`${level}\``).join(", ")}, in any case; \`panic\` is \`fatal\`, \`verbose\` is \`info\`, \`warning\` is \`warn\`. Upstream's default hides errors.`,
      default: "info",
    }),
  ),
  logToStderr: Type.Optional(flag({ description: "Log to stderr, one JSON object a line.", default: true })),
  logOptions: Type.Optional(
    Type.Object(
      {
        maxAge: Type.Optional(
          count(0, 36_500, { description: "Days that a rotated file is kept; 0: for ever.", default: 5 }),
        ),
        maxSize: Type.Optional(
          count(1, 1_000_000, { description: "Megabytes after which `logFile` is rotated.", default: 100 }),
        ),
        maxBackups: Type.Optional(
          count(0, 1000, { description: "Rotated files that are kept; 0: all.", default: 5 }),
        ),
        compress: Type.Optional(flag({ description: "Compress rotated files with gzip.", default: true })),
      },
      { description: "Rotation of `logFile`." },
    ),
  ),
  perNodeCertificate: Type.Optional(
    anyObject({
      description: "Client certificate of the node for the API server.",
      inactive: "no cluster client yet",
    }),
  ),
  connectionLimit: Type.Optional(
    count(1, 1_000_000, {
      description: "Connections that are served at the same time.",
      inactive: "`limits` bounds the work instead; connections alone never starve a DEL or a probe",
      defaultText: "no limit",
    }),
  ),
  metricsPort: Type.Optional(
    count(1, 65_535, {
      description:
        "TCP port for `/metrics` on all addresses. `metricsAddress` takes its place where both are set.",
      defaultText: "none",
    }),
  ),
  enablePprof: Type.Optional(
    flag({
      description: "Profiles of the Go runtime.",
      default: false,
      inactive: "multusd is no Go program",
    }),
  ),
};

function logLevelProblem(value: unknown): string | undefined {
  const found = typeof value === "string" && isLogLevel(value.toLowerCase());
  return found || value === "" ? undefined : `must be one of ${logLevels.join(", ")}`;
}

export function isLogLevel(name: string): name is LogLevelName {
  return logLevels.some((level) => level === name);
}

/** A socket's path has 107 bytes on Linux, `multus.sock` and a slash included. */
function socketDirProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string";
  return Buffer.byteLength(value) > 95 ? "is too long for the path of a socket (95 bytes)" : undefined;
}
