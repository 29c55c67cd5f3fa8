import { decodeString, decodeStrings, decodeStruct, documentPlace } from "../decoding/decode.ts";
import { InvalidResultError } from "../errors/result-errors.ts";
import { JsonSyntaxError } from "../raw-json/json-syntax-error.ts";
import { JsonTypeError } from "../raw-json/json-type-error.ts";
import { assertJson } from "../raw-json/raw-object.ts";

const what = "decoding version info";

/**
 * The versions in a plugin's answer to VERSION, as it lists them; not checked.
 * @throws {InvalidResultError}
 * @see libcni `version.PluginDecoder`
 */
export function parseVersionInfo(stdout: string): readonly string[] {
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
    const position = error instanceof JsonSyntaxError ? { details: error.describePosition() } : {};
    throw new InvalidResultError(`${what}: ${error.message}`, { ...position, cause: error });
  }
  if (cniVersion === "") throw new InvalidResultError(`${what}: missing field cniVersion`);
  if (versions.length > 0) return versions;
  if (cniVersion === "0.2.0") return ["0.1.0", "0.2.0"];
  throw new InvalidResultError(`${what}: missing field supportedVersions`);
}
