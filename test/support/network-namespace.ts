import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A network namespace of a test, named `mt-…`. */
export interface TestNamespace {
  readonly name: string;
  readonly path: string;
  /** stdout of a command inside. */
  run(program: string, ...args: readonly string[]): Promise<string>;
  /** Silent where it has gone already. */
  remove(): Promise<void>;
}

export async function makeNamespace(name = `mt-${randomBytes(5).toString("hex")}`): Promise<TestNamespace> {
  await run("ip", ["netns", "add", name]);
  const path = `/run/netns/${name}`;
  return {
    name,
    path,
    // nsenter, because `ip netns exec` mounts /sys anew.
    run: async (program, ...args) => (await run("nsenter", [`--net=${path}`, program, ...args])).stdout,
    remove: async () => {
      await run("ip", ["netns", "delete", name]).catch(() => undefined);
    },
  };
}
