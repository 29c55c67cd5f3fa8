import { preload } from "./compile-cache.mjs";
import { replaceFile } from "./replace-file.mjs";

/** A young generation of 1 MB instead of 16: after a storm of requests the daemon holds 30 MB less, for no time that shows. */
const nodeFlags = ["--max-semi-space-size=1"];

/** A launcher runs its module on the Node beside it, wherever `dist` lies and whatever link leads to it. */
export async function writeLauncher(file, module) {
  const text = `#!/bin/sh
self=$(readlink -f "$0") || exit 2
lib=\${self%/*}/lib
exec "$lib/node" ${nodeFlags.join(" ")} --import "$lib/${preload}" "$lib/${module}" "$@"
`;
  await replaceFile(file, text, 0o755);
}
