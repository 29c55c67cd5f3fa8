import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const compiler = ["-std=gnu11", "-O1", "-Wall", "-Wno-format-truncation", "-static"];

/** Compiles one C file to a static program, once for each content of the file; safe for tests side by side. */
export async function compileProgram(source: string): Promise<string> {
  const key = createHash("sha256")
    .update(await readFile(source))
    .update(compiler.join(" "))
    .digest("hex");
  const directory = join(tmpdir(), `multusd-fixtures-${process.getuid?.() ?? 0}`);
  const program = join(directory, key.slice(0, 16));
  if (await exists(program)) return program;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const temporary = `${program}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  await run("cc", [...compiler, "-o", temporary, source]);
  await rename(temporary, program);
  return program;
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
