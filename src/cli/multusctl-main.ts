import { runMultusctl } from "./multusctl.ts";

/** Set by the bundler from package.json. */
declare const MULTUSD_VERSION: string;

// Whoever reads may have seen enough (`multusctl … | head`).
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

process.exitCode = await runMultusctl(process.argv.slice(2), {
  writeOut: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
  version: MULTUSD_VERSION,
});
