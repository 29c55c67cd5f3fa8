import { access, constants, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Log } from "../../attachments/instruments.ts";
import { CniCode, CniError, type ExecutePlugin } from "../../cni/index.ts";
import { HostLostError, type PluginHost, startPluginHost } from "../../host/plugin-host.ts";

/** A `multus-host` of this call's own. */
export interface PluginExecutor {
  readonly executePlugin: ExecutePlugin;
  /** Ends it and whatever it still runs, and removes its records. */
  stop(): Promise<void>;
}

/**
 * Starts one, with records in a directory of its own: those of the daemon's would be taken for leftovers and ended.
 * @throws {CniError} if there is none, or it does not start
 */
export async function startPluginExecutor(
  env: NodeJS.ProcessEnv,
  writeError: (text: string) => void,
): Promise<PluginExecutor> {
  const binary = await findBinary(env);
  const runsDirectory = await mkdtemp(join(tmpdir(), "multusctl-"));
  const clean = async () => await rm(runsDirectory, { recursive: true, force: true });
  let host: PluginHost;
  try {
    // The boot ID is part of a namespace's identity, which nobody asks for here.
    host = await startPluginHost({ binary, runsDirectory, bootId: "", log: logTo(writeError) });
  } catch (error) {
    await clean();
    if (!(error instanceof HostLostError)) throw error;
    throw new CniError(`${binary} does not start: ${error.message}`, {
      code: CniCode.Internal,
      cause: error,
    });
  }
  const stop = async () => {
    await host.stop();
    await clean();
  };
  return { executePlugin: host.executePlugin, stop };
}

/** Beside the launcher, one above the bundle. */
async function findBinary(env: NodeJS.ProcessEnv): Promise<string> {
  const beside = join(dirname(fileURLToPath(import.meta.url)), "..", "multus-host");
  const binary = env["MULTUS_HOST_BINARY"] || beside;
  try {
    await access(binary, constants.X_OK);
    return binary;
  } catch (cause) {
    const hint = "it is installed beside multusctl; MULTUS_HOST_BINARY may name another one";
    throw new CniError(`cannot run plugins without multus-host: ${binary} cannot be executed; ${hint}`, {
      code: CniCode.Internal,
      cause,
    });
  }
}

/** What a person at a terminal should see; the rest is in the outcome. */
function logTo(writeError: (text: string) => void): Log {
  const say = (_fields: object, message: string) => writeError(`multusctl: ${message}\n`);
  const drop = () => undefined;
  const log: Log = { debug: drop, info: drop, warn: say, error: say, child: () => log };
  return log;
}
