import { beforeEach } from "vitest";
import { missingForKernelTests } from "./machine.ts";

const missing = missingForKernelTests();

// Counted as skipped with its reason, never as passed.
beforeEach((context) => {
  context.skip(missing !== undefined, missing);
});
