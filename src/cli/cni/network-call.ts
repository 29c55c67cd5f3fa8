import {
  type Attachment,
  type CniRuntime,
  createResultCache,
  findNetworkList,
  type NetworkList,
  type PluginRun,
  type RunLimits,
  writeFileDurably,
} from "../../cni/index.ts";
import type { CommandInput } from "../command.ts";
import { attachmentOf } from "./attachment-of.ts";
import { interruptible } from "./interruption.ts";
import { startPluginExecutor } from "./plugin-executor.ts";
import { configurationDirectory, readEnvironment } from "./read-environment.ts";

/** All that a verb needs. */
export interface NetworkCall {
  readonly cni: CniRuntime;
  readonly list: NetworkList;
  readonly attachment: Attachment;
  readonly limits: RunLimits;
}

/** cnitool's, and that of most runtimes. */
const defaultCacheDirectory = "/var/lib/cni";

/** A person waits, and may end it any time: far above what any plugin takes. */
const pluginTimeoutMs = 600_000;

/**
 * Makes everything ready for a verb from command line and environment, runs it, and takes everything down again.
 * @throws {CniError} for what cannot be read or started, and whatever `verb` throws
 */
export async function callNetwork<T>(
  { parameters: [network = "", netns = ""], options, env, writeError }: CommandInput,
  verb: (call: NetworkCall) => Promise<T>,
): Promise<T> {
  const list = await findNetworkList(configurationDirectory(env), network);
  const environment = readEnvironment(env);
  const ifName = options.ifname ?? environment.ifName;
  const attachment = attachmentOf(netns, { ...environment, ifName });
  const executor = await startPluginExecutor(env, writeError);
  try {
    return await interruptible(async (signal) => {
      const cni: CniRuntime = {
        executePlugin: executor.executePlugin,
        cache: createResultCache(options["cache-dir"] ?? defaultCacheDirectory, writeFileDurably),
        baseEnv: wholeEnvironment(env),
        onPluginRun: (run) => writeError(stderrOf(run)),
      };
      const limits = { signal, pluginTimeoutMs: () => pluginTimeoutMs };
      return await verb({ cni, list, attachment, limits });
    });
  } finally {
    await executor.stop();
  }
}

/** A person chose it: as with cnitool, plugins get all of it. */
function wholeEnvironment(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const isSet = (entry: [string, string | undefined]): entry is [string, string] => entry[1] !== undefined;
  return Object.fromEntries(Object.entries(env).filter(isSet));
}

/** Of a plugin that failed too, unlike cnitool: it is the only place where many say why. */
function stderrOf({ outcome }: PluginRun): string {
  return "output" in outcome ? outcome.output.stderr : "";
}
