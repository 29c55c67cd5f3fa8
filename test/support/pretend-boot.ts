import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Words before a command that make it believe the machine has booted since: it sees another boot ID, in a mount
 * namespace of its own.
 * @param directory where the ID is kept
 */
export async function afterReboot(directory: string): Promise<readonly string[]> {
  const bootId = randomUUID();
  const file = join(directory, `boot-${bootId}`);
  await writeFile(file, `${bootId}\n`);
  const script = 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"';
  return ["unshare", "--mount", "--propagation", "slave", "sh", "-c", script, file];
}
