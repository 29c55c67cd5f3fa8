/** Exit codes of `multusd` (contract §1). */
export const exitCodes = {
  /** Asked to stop, and drained. */
  stopped: 0,
  configurationRefused: 1,
  /** Socket, state directory or lock could not be had. */
  notStarted: 2,
  /** Stopped with requests cut off. */
  cut: 3,
  bug: 70,
} as const;
