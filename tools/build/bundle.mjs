import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { build } from "esbuild";
import { replaceFile } from "./replace-file.mjs";

// Libraries in CommonJS expect these three; an ES module has none of them.
const banner = [
  'import { createRequire as __createRequire } from "node:module";',
  "const require = __createRequire(import.meta.url);",
  "const __filename = import.meta.filename;",
  "const __dirname = import.meta.dirname;",
].join("\n");

/** Bundles one entry into one ES module; licences that must travel along go to `<output>.LEGAL.txt`. */
export async function bundle(entry, output) {
  const { version } = JSON.parse(await readFile("package.json", "utf8"));
  const result = await build({
    entryPoints: [entry],
    outfile: output,
    write: false,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    // Names stay as they are: stack traces tell them, and esbuild's keepNames costs a call for each closure made.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "external",
    banner: { js: banner },
    define: { MULTUSD_VERSION: JSON.stringify(version), "process.env.NODE_ENV": '"production"' },
    logLevel: "warning",
    logOverride: { "direct-eval": "silent" },
  });
  for (const file of result.outputFiles) {
    await replaceFile(`${output}${basename(file.path).slice(basename(output).length)}`, file.contents, 0o644);
  }
}
