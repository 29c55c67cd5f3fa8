/** Makes `dist/`: bundles, launchers, the pinned Node and the native programs. What is fresh stays untouched. */
import { mkdir } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { bundle } from "./build/bundle.mjs";
import { fillCompileCache, writePreload } from "./build/compile-cache.mjs";
import { writeLauncher } from "./build/launcher.mjs";
import { buildNative } from "./build/native.mjs";
import { placePinnedNode } from "./build/pinned-node.mjs";

const started = performance.now();
await mkdir("dist/lib", { recursive: true });

try {
  await Promise.all([
    bundle("src/daemon/main.ts", "dist/lib/multusd.mjs"),
    bundle("src/cli/multusctl-main.ts", "dist/lib/multusctl.mjs"),
    placePinnedNode("dist/lib/node"),
    writePreload("dist/lib"),
    writeLauncher("dist/multusd", "multusd.mjs"),
    writeLauncher("dist/multusctl", "multusctl.mjs"),
    buildNative({ "multus-shim": "dist/multus-shim", "multus-host": "dist/multus-host" }),
  ]);
  await fillCompileCache(["dist/multusd", "dist/multusctl"]);
} catch (error) {
  console.error(`build: ${error.message}`);
  process.exit(1);
}

console.log(`dist/ is ready (${((performance.now() - started) / 1000).toFixed(1)} s)`);
