/** Locks a file, says how that went, and keeps what it has until it is killed: `lock-program.ts BINARY FILE`. */
import { acquireLock } from "../../../src/host/lock-file.ts";

const [binary, file] = process.argv.slice(2);
if (binary === undefined || file === undefined) process.exit(2);
const outcome = await acquireLock(file, { binary, waitMs: 0 });
process.stdout.write(`${outcome.kind}\n`);
process.stdin.resume();
