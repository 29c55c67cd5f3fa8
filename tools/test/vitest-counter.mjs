import { writeFileSync } from "node:fs";

/**
 * Counts as `tools/test.mjs` needs it, which vitest's JSON reporter does not tell: why a test was skipped, and a suite
 * or module whose own set-up failed (its tests then look skipped).
 */
export default class VitestCounter {
  onTestRunEnd(modules, unhandledErrors) {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, notes: [] };
    for (const module of modules) {
      if (module.errors().length > 0) count.failed++;
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) count.failed++;
      for (const test of module.children.allTests()) {
        const { state, note } = test.result();
        count[state === "pending" ? "failed" : state]++;
        if (state === "skipped") count.notes.push(`${test.fullName}: ${note ?? "no reason"}`);
      }
    }
    const file = process.env.MULTUSD_TEST_COUNT;
    if (file !== undefined) writeFileSync(file, JSON.stringify(count));
  }
}
