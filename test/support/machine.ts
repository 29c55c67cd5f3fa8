import { accessSync } from "node:fs";

const searched = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"];

function isThere(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}

function isInstalled(program: string): boolean {
  return searched.some((directory) => isThere(`${directory}/${program}`));
}

/** Why tests with real processes and namespaces cannot run here; `undefined`: they can. */
export function missingForKernelTests(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root";
  if (!isInstalled("ip")) return "needs iproute2";
  return undefined;
}

/** Why tests with Debian's own CNI plugins cannot run here. */
export function missingForDebianPlugins(): string | undefined {
  if (!isThere("/usr/lib/cni/portmap")) return "needs containernetworking-plugins";
  if (!isInstalled("iptables")) return "needs iptables";
  return undefined;
}
