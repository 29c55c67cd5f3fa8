const colour = process.stdout.isTTY && process.env.NO_COLOR === undefined;
const paint = (code) => (text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
const [bold, dim, red, green, cyan] = [1, 2, 31, 32, 36].map(paint);

/** A claim of the demo that the machine did not keep. */
class ClaimFailed extends Error {}

let step = 0;
let claims = 0;

export function title(text) {
  console.log(`\n${bold(text)}`);
}

/** Begins a numbered step with one or two sentences of what is about to be seen. */
export function begin(heading, text) {
  step++;
  console.log(`\n${bold(cyan(`${step}. ${heading}`))}`);
  if (text !== undefined) console.log(`   ${text}`);
}

/** Something that was run, as a person would have typed it. */
export function command(text) {
  console.log(`\n   ${bold(`$ ${text}`)}`);
}

export function output(text) {
  for (const line of text.trimEnd().split("\n")) console.log(dim(`   | ${line}`));
}

/** Says what must be so; the demo ends here if it is not. */
export function claim(text, holds, found) {
  if (!holds) {
    console.log(`   ${red("✗")} ${text}`);
    throw new ClaimFailed(found === undefined ? text : `${text}; found: ${found}`);
  }
  claims++;
  console.log(`   ${green("✓")} ${text}`);
}

export function end(seconds) {
  console.log(
    `\n${bold(green(`All ${claims} claims hold`))} (${seconds.toFixed(0)} s). Nothing is left on this machine.\n`,
  );
}

export function failure(error) {
  const text = error instanceof ClaimFailed ? error.message : (error.stack ?? String(error));
  console.error(`\n${bold(red("The demo failed"))}: ${text}\n`);
}
