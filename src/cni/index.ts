export type { CacheKey, CacheRecord } from "./cache/cache-record.ts";
export {
  type CachedRecord,
  type CacheListing,
  createResultCache,
  type ResultCache,
} from "./cache/result-cache.ts";
export { findNetworkList } from "./configuration/find-network-list.ts";
export { loadNetworkListFile } from "./configuration/load-network-list.ts";
export { validateContainerId, validateInterfaceName, validateNetworkName } from "./configuration/names.ts";
export type { NetworkList, PluginConfiguration } from "./configuration/network-list.ts";
export { networkListText } from "./configuration/network-list-text.ts";
export {
  networkListFromPlugin,
  parseNetworkList,
  parseNetworkListOrPlugin,
} from "./configuration/parse-network-list.ts";
export { parsePluginConfiguration } from "./configuration/parse-plugin-configuration.ts";
export { ResultCacheError } from "./errors/cache-error.ts";
export { CniCode } from "./errors/cni-code.ts";
export { asCniError, CniError, type CniErrorFacts, describeCniError } from "./errors/cni-error.ts";
export {
  InvalidNetworkConfigError,
  NetworkListNotFoundError,
  NoNetworkListsError,
  type UnusableFile,
} from "./errors/configuration-errors.ts";
export { InvalidEnvironmentError } from "./errors/environment-error.ts";
export { PluginFailedError, type PluginFailureKind, PluginNotFoundError } from "./errors/plugin-errors.ts";
export { pluginFailureOf } from "./errors/plugin-failure-of.ts";
export {
  CheckNotSupportedError,
  InvalidResultError,
  UnsupportedVersionError,
} from "./errors/result-errors.ts";
export { AddFailedError, CombinedError, DeleteFailedError, type FailedPlugin } from "./errors/verb-errors.ts";
export type {
  ExecutePlugin,
  PluginInvocation,
  PluginOutcome,
  PluginOutput,
  StartFailure,
} from "./execute-plugin.ts";
export { writeFileDurably } from "./files/write-file-durably.ts";
export type {
  Attachment,
  CniRuntime,
  PluginRun,
  PluginSearch,
  RunLimits,
  TraceContext,
} from "./plugins/cni-runtime.ts";
export { findPlugin } from "./plugins/find-plugin.ts";
export { baseEnvironment } from "./plugins/plugin-environment.ts";
export { buildPluginRequest, type RequestFacts, type ValidAttachment } from "./plugins/plugin-request.ts";
export { JsonSyntaxError } from "./raw-json/json-syntax-error.ts";
export { JsonTypeError } from "./raw-json/json-type-error.ts";
export { parseRawArray } from "./raw-json/raw-array.ts";
export {
  assertJson,
  memberText,
  memberTextFold,
  parseRawObject,
  printRawObject,
  type RawMember,
  type RawObject,
  withMember,
  withoutMembers,
} from "./raw-json/raw-object.ts";
export type {
  CniResult,
  LegacyIp,
  ResultDns,
  ResultInterface,
  ResultIp,
  ResultRoute,
} from "./results/cni-result.ts";
export {
  compareVersions,
  currentVersion,
  isSupportedVersion,
  supportedVersions,
} from "./results/cni-version.ts";
export { convertResult } from "./results/convert-result.ts";
export { parseResult } from "./results/parse-result.ts";
export { printResult } from "./results/print-result.ts";
export { addNetworkList } from "./verbs/add-network-list.ts";
export { checkNetworkList } from "./verbs/check-network-list.ts";
export type { CniVerb } from "./verbs/cni-verb.ts";
export {
  type CollectGarbageOptions,
  collectGarbageNetworkList,
} from "./verbs/collect-garbage-network-list.ts";
export { type DeleteSuccess, deleteNetworkList } from "./verbs/delete-network-list.ts";
export {
  type DeletePluginsOptions,
  type DeleteReport,
  deletePlugins,
  type PluginDeletion,
} from "./verbs/delete-plugins.ts";
export { pluginVersions } from "./verbs/plugin-versions.ts";
export { statusNetworkList } from "./verbs/status-network-list.ts";
export { validateNetworkList } from "./verbs/validate-network-list.ts";
