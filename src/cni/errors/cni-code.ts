/** Reserved error codes (SPEC.md §5 "Error", libcni `types.Err…`). From 100 on codes are the plugin's own. */
export const CniCode = {
  Unknown: 0,
  IncompatibleVersion: 1,
  UnsupportedField: 2,
  /** The container does not exist: nothing has to be deleted. */
  UnknownContainer: 3,
  InvalidEnvironment: 4,
  IoFailure: 5,
  DecodingFailure: 6,
  InvalidNetworkConfig: 7,
  /** Not in SPEC.md, but the reference plugins answer with it. */
  InvalidNetns: 8,
  TryAgainLater: 11,
  PluginNotAvailable: 50,
  LimitedConnectivity: 51,
  Internal: 999,
} as const;
