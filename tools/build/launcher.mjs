import { replaceFile } from "./replace-file.mjs";

/** V8 flags that were measured to be worth it; `make bench` shows start time and memory. */
const nodeFlags = [];

/** A launcher runs its module on the Node beside it, wherever `dist` lies and whatever link leads to it. */
export async function writeLauncher(file, module) {
  const flags = nodeFlags.map((flag) => ` ${flag}`).join("");
  const text = `#!/bin/sh
self=$(readlink -f "$0") || exit 2
lib=\${self%/*}/lib
exec "$lib/node"${flags} "$lib/${module}" "$@"
`;
  await replaceFile(file, text, 0o755);
}
