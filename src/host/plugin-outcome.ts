import type { PluginOutcome, PluginOutput, StartFailure } from "../cni/execute-plugin.ts";
import { failureOf, type HostAnswer, numberField, textField } from "./host-answer.ts";
import { HostProtocolError } from "./host-errors.ts";

/**
 * What an answer to `run` says (docs/multus-host.md "Requests").
 * @param timeoutMs the invocation's own limit, as it is shown to people
 * @throws {HostProtocolError}
 */
export function readOutcome(answer: HostAnswer, timeoutMs: number): PluginOutcome {
  const refused = failureOf("run", answer);
  if (refused !== undefined) return notStarted("other", refused.code, refused.message);
  const { fields } = answer;
  switch (fields["ended"]) {
    case "exited":
      return { kind: "exited", exitCode: numberField(fields, "exitCode"), output: readOutput(answer) };
    case "killed":
      return { kind: "killed", signal: textField(fields, "signal"), output: readOutput(answer) };
    case "timed-out":
      return { kind: "timed-out", timeoutMs, output: readOutput(answer) };
    case "cancelled":
      return { kind: "cancelled", output: readOutput(answer) };
    case "not-started":
      return notStarted(readReason(fields), textField(fields, "errno"), textField(fields, "message"));
    default:
      throw new HostProtocolError("a run that ended in an unknown way");
  }
}

export function notStarted(reason: StartFailure, errno: string, message: string): PluginOutcome {
  return { kind: "not-started", reason, errno, message };
}

/** For a run that was called off before anybody began it. */
export const cancelledBeforeStart: PluginOutcome = {
  kind: "cancelled",
  output: { stdout: "", stdoutTruncated: false, stderr: "", wallMs: 0, maxRssKib: 0 },
};

/** The body is stdout, then stderr. Bytes that are no UTF-8 become U+FFFD: a plugin may print anything. */
function readOutput({ fields, body }: HostAnswer): PluginOutput {
  const stdoutLength = numberField(fields, "stdoutLength");
  if (stdoutLength + numberField(fields, "stderrLength") !== body.length) {
    throw new HostProtocolError("output lengths that do not add up");
  }
  return {
    stdout: body.toString("utf8", 0, stdoutLength),
    stdoutTruncated: fields["stdoutTruncated"] === true,
    stderr: body.toString("utf8", stdoutLength),
    wallMs: numberField(fields, "wallMs"),
    maxRssKib: numberField(fields, "maxRssKib"),
  };
}

const reasons: Readonly<Record<StartFailure, true>> = {
  "not-found": true,
  "not-executable": true,
  "exec-format": true,
  "missing-interpreter": true,
  "text-busy": true,
  "out-of-resources": true,
  other: true,
};

function readReason(fields: Readonly<Record<string, unknown>>): StartFailure {
  const reason = textField(fields, "reason");
  return isReason(reason) ? reason : "other";
}

function isReason(text: string): text is StartFailure {
  return Object.hasOwn(reasons, text);
}
