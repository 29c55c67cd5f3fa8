const tailLines = 200;

/** Prints how a stage ended; its output only where it failed. */
export function report({ name, passed, failed, skipped, seconds, output, notes = [], problems, code }) {
  const state = failed > 0 ? "FAIL" : "ok";
  const counts = [`${passed} passed`, failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`];
  console.log(
    `${state.padEnd(5)} ${name.padEnd(30)} ${counts.filter(Boolean).join(", ").padEnd(28)} ${seconds.toFixed(1)} s`,
  );
  for (const note of notes) console.log(`      skipped: ${note}`);
  if (failed === 0) return;
  const lines = problems ?? output.trimEnd().split("\n");
  for (const line of lines.slice(-tailLines)) console.log(`      ${line}`);
  if (code !== 0) console.log(`      (${name}: ${code})`);
}

/** The one line at the end. A run in which nothing passed is no success. */
export function summary(results) {
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const [passed, failed, skipped] = [sum("passed"), sum("failed"), sum("skipped")];
  const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
  return { line, ok: failed === 0 && passed > 0 };
}
