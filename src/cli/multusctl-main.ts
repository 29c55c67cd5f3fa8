import { runMultusctl } from "./multusctl.ts";

/** Put in by the build from package.json; unbundled sources have none. */
declare const MULTUSD_VERSION: string | undefined;

// Whoever reads may have seen enough (`multusctl … | head`).
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

process.exitCode = await runMultusctl(process.argv.slice(2), {
  writeOut: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
  env: process.env,
  version: typeof MULTUSD_VERSION === "string" ? MULTUSD_VERSION : "0.0.0-source",
});
