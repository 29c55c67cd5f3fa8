import { decodeString, decodeStrings, decodeStruct, documentPlace } from "../decoding/decode.ts";
import { describeCniError } from "../errors/cni-error.ts";
import { PluginFailedError } from "../errors/plugin-errors.ts";
import { InvalidResultError } from "../errors/result-errors.ts";
import type { CniRuntime, PluginSearch, RunLimits } from "../plugins/cni-runtime.ts";
import { type PluginTask, runPlugin } from "../plugins/run-plugin.ts";
import { JsonSyntaxError } from "../raw-json/json-syntax-error.ts";
import { JsonTypeError } from "../raw-json/json-type-error.ts";
import { assertJson } from "../raw-json/raw-object.ts";
import { currentVersion } from "../results/cni-version.ts";

const what = "decoding version info";

/** Plugins made with the first skeletons refuse VERSION itself unless these are set. */
const dummies = { containerId: "", netns: "dummy", ifName: "dummy", args: [] };

/**
 * Versions of the specification that the plugin `type` says it supports, as it lists them; not checked.
 * @throws {PluginNotFoundError}
 * @throws {PluginFailedError}
 * @throws {InvalidResultError} if the answer cannot be read
 * @see SPEC.md §2 "VERSION"; libcni `GetVersionInfo`
 */
export async function pluginVersions(
  cni: CniRuntime,
  type: string,
  search: PluginSearch,
  limits: RunLimits,
  place: Pick<PluginTask, "listName" | "index" | "pluginsLeft"> = { listName: "", index: 0, pluginsLeft: 1 },
): Promise<readonly string[]> {
  const stdin = JSON.stringify({ cniVersion: currentVersion });
  const facts = { parameters: dummies, search, cniPath: "dummy", stdin } as const;
  try {
    const output = await runPlugin(cni, { ...place, ...facts, plugin: { type }, command: "VERSION" }, limits);
    return parseVersionInfo(output.stdout);
  } catch (error) {
    if (isUnknownCommand(error)) return ["0.1.0"];
    throw error;
  }
}

/** How plugins of spec 0.1.0 answer, which had no VERSION. */
function isUnknownCommand(error: unknown): boolean {
  return (
    error instanceof PluginFailedError &&
    error.fromPlugin &&
    describeCniError(error) === "unknown CNI_COMMAND: VERSION"
  );
}

/** @see libcni `version.PluginDecoder` */
function parseVersionInfo(stdout: string): readonly string[] {
  let cniVersion = "";
  let versions: readonly string[] = [];
  try {
    assertJson(stdout);
    decodeStruct(stdout, documentPlace, "version.pluginInfo", {
      cniVersion: (value, place) => {
        cniVersion = decodeString(value, place);
      },
      supportedVersions: (value, place) => {
        versions = decodeStrings(value, place);
      },
    });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError) && !(error instanceof JsonTypeError)) throw error;
    throw new InvalidResultError(`${what}: ${error.message}`, { cause: error });
  }
  if (cniVersion === "") throw new InvalidResultError(`${what}: missing field cniVersion`);
  if (versions.length > 0) return versions;
  if (cniVersion === "0.2.0") return ["0.1.0", "0.2.0"];
  throw new InvalidResultError(`${what}: missing field supportedVersions`);
}
