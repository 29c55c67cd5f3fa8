import { isCacheFileNameTooLong } from "../cache/cache-file-name.ts";
import type { ResultCache } from "../cache/result-cache.ts";
import { validateContainerId, validateInterfaceName, validateNetworkName } from "../configuration/names.ts";
import type { NetworkList } from "../configuration/network-list.ts";
import { ResultCacheError } from "../errors/cache-error.ts";
import { asCniError, type CniError } from "../errors/cni-error.ts";
import { InvalidNetworkConfigError } from "../errors/configuration-errors.ts";
import { goQuote } from "../errors/go-quote.ts";
import { PluginFailedError } from "../errors/plugin-errors.ts";
import { InvalidResultError } from "../errors/result-errors.ts";
import { AddFailedError, prefixed } from "../errors/verb-errors.ts";
import type { PluginOutput } from "../execute-plugin.ts";
import { argumentProblem } from "../plugins/capability-argument.ts";
import type { Attachment, CniRuntime, RunLimits } from "../plugins/cni-runtime.ts";
import { runPlugin } from "../plugins/run-plugin.ts";
import type { CniResult } from "../results/cni-result.ts";
import { parseAddOutput } from "../results/parse-result.ts";
import { attachmentTask, failedPlugin, type ListedPlugin } from "./list-task.ts";
import { inListVersion } from "./previous-result.ts";

/**
 * Runs ADD for each plugin in list order, each with the result of the one before in the list's version, and returns
 * the last one's in that version. Cached is what the last plugin answered, in its own version: a list that is given
 * another version later may have a place for what this one has not.
 * @throws {AddFailedError} from the first plugin that fails, later ones do not run; for names and capability
 * arguments that are not valid (nothing has run then); and if the result cannot be cached (all have run). Nothing is
 * undone, an older cached result is left as it was
 * @see SPEC.md §3 "Attachment"; libcni `AddNetworkList`
 */
export async function addNetworkList(
  cni: CniRuntime,
  list: NetworkList,
  attachment: Attachment,
  limits: RunLimits,
): Promise<CniResult> {
  const problem = findProblem(list, attachment, cni.cache);
  if (problem !== undefined) throw new AddFailedError(problem, []);
  const tried: number[] = [];
  let answer: CniResult | undefined;
  for (const [index, plugin] of list.plugins.entries()) {
    const prevResult = answer && inListVersion(answer, list);
    answer = await addPlugin(cni, list, attachment, { plugin, index }, prevResult, limits, tried);
  }
  if (answer === undefined) throw new AddFailedError(noPlugins(), []);
  await cacheResult(cni.cache, list, attachment, answer, tried);
  return inListVersion(answer, list);
}

async function addPlugin(
  cni: CniRuntime,
  list: NetworkList,
  attachment: Attachment,
  listed: ListedPlugin,
  prevResult: CniResult | undefined,
  limits: RunLimits,
  tried: number[],
): Promise<CniResult> {
  try {
    const left = list.plugins.length - listed.index;
    const task = attachmentTask(cni, list, attachment, "ADD", listed, prevResult, left);
    const output = await runPlugin(cni, task, limits);
    tried.push(listed.index);
    return readResult(output, list);
  } catch (error) {
    if (error instanceof PluginFailedError && error.started) tried.push(listed.index);
    throw new AddFailedError(asCniError(error), tried, failedPlugin(listed));
  }
}

function readResult(output: PluginOutput, list: NetworkList): CniResult {
  if (output.stdoutTruncated) {
    throw new InvalidResultError(
      `result is longer than the ${output.stdout.length} characters that are read`,
    );
  }
  return parseAddOutput(output.stdout, list.cniVersion);
}

function findProblem(
  list: NetworkList,
  { containerId, ifName, capabilityArgs }: Attachment,
  cache: ResultCache | undefined,
): CniError | undefined {
  const problem =
    validateContainerId(containerId) ?? validateNetworkName(list.name) ?? validateInterfaceName(ifName);
  if (problem !== undefined) return problem;
  if (list.plugins.length === 0) return noPlugins();
  // What no plugin wants is kept in the cache all the same.
  for (const [capability, argument] of Object.entries(capabilityArgs)) {
    const invalid = argumentProblem(capability, argument);
    if (invalid !== undefined) return invalid;
  }
  if (cache === undefined || !isCacheFileNameTooLong({ networkName: list.name, containerId, ifName }))
    return undefined;
  return new ResultCacheError(`${cacheFailure(list)}: file name too long`);
}

async function cacheResult(
  cache: ResultCache | undefined,
  list: NetworkList,
  attachment: Attachment,
  result: CniResult,
  tried: readonly number[],
): Promise<void> {
  const { containerId, ifName, netns, args, capabilityArgs } = attachment;
  const key = { networkName: list.name, containerId, ifName };
  try {
    await cache?.write({ ...key, netns, config: list.text, args, capabilityArgs, result });
  } catch (error) {
    throw new AddFailedError(prefixed(`${cacheFailure(list)}: `, asCniError(error)), tried);
  }
}

function cacheFailure(list: NetworkList): string {
  return `failed to set network ${goQuote(list.name)} cached result`;
}

function noPlugins(): CniError {
  return new InvalidNetworkConfigError("no plugins in list");
}
