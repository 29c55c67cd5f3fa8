/**
 * Every check and test of the repository. Ends with one line that adds them all up; exit 1 if anything failed or
 * nothing ran. `--only static|unit|rust|kernel` runs a part.
 */

import { runInLanes } from "./test/lanes.mjs";
import { report, summary } from "./test/report.mjs";
import { stages } from "./test/stages.mjs";

const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1] : undefined;
const chosen = stages.filter((stage) => only === undefined || stage.part === only);

const results = await runInLanes(chosen, report);
const { line, ok } = summary(results);
console.log(line);
process.exitCode = ok ? 0 : 1;
