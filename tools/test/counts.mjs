import { readFile } from "node:fs/promises";

/** Fewer modules than this means that the tool looked in the wrong place, not that all layers are right. */
const fewestModules = 50;

/** A static check is one check. */
export function countByExit({ code }) {
  return code === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

/** Adds up the result line of every test program. */
export function countCargo({ code, stdout }) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const [, passed, failed, ignored] of stdout.matchAll(
    /^test result: .*? (\d+) passed; (\d+) failed; (\d+) ignored/gm,
  )) {
    sum.passed += Number(passed);
    sum.failed += Number(failed);
    sum.skipped += Number(ignored);
  }
  const notes = [...stdout.matchAll(/^test (.+) \.\.\. ignored(?:, (.*))?$/gm)].map(
    ([, name, why]) => `${name}: ${why ?? "no reason"}`,
  );
  return withExit(code, sum, notes);
}

/** The count that `vitest-counter.mjs` left. */
export async function countVitest({ code, countFile }) {
  const text = await readFile(countFile, "utf8").catch(() => undefined);
  if (text === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const { passed, failed, skipped, notes } = JSON.parse(text);
  return withExit(code, { passed, failed, skipped }, notes);
}

/** dependency-cruiser: no violation, and it really saw the source. */
export function countCruise({ code, stdout }) {
  let summary;
  try {
    ({ summary } = JSON.parse(stdout));
  } catch {
    return countByExit({ code: 1 });
  }
  const violations = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
  const few = summary.totalCruised < fewestModules ? [`only ${summary.totalCruised} modules cruised`] : [];
  const problems = [...violations, ...few];
  return { ...countByExit({ code: problems.length === 0 ? code : 1 }), problems };
}

function withExit(code, sum, notes) {
  const silent = code !== 0 && sum.failed === 0;
  return { ...sum, failed: silent ? 1 : sum.failed, notes };
}
