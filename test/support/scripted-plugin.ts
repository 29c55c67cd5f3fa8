import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PluginScript } from "./fake-execute-plugin.ts";

/** Writes a shell script of that body, ready to run; returns its path. */
export async function writeScript(directory: string, name: string, body: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return path;
}

/** The same plugin that `FakeExecutePlugin` plays, as a program. */
export async function writeScriptedPlugin(
  directory: string,
  name: string,
  { stdout = "", stderr = "", exitCode = 0, signal, takesMs = 0 }: PluginScript,
): Promise<string> {
  const seconds = takesMs === "forever" ? 1000 : takesMs / 1000;
  return await writeScript(
    directory,
    name,
    [
      `printf %s ${quote(stdout)}`,
      `printf %s ${quote(stderr)} >&2`,
      seconds === 0 ? ":" : `sleep ${seconds}`,
      signal === undefined ? `exit ${exitCode}` : `kill -s ${signal.replace("SIG", "")} $$`,
    ].join("\n"),
  );
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
