import { CniCode } from "../errors/cni-code.ts";
import { excerpt, lastPart } from "../errors/excerpt.ts";
import { goQuote } from "../errors/go-quote.ts";
import { PluginFailedError, type PluginFailureFacts } from "../errors/plugin-errors.ts";
import type { PluginOutcome, PluginOutput } from "../execute-plugin.ts";
import { JsonSyntaxError } from "../raw-json/json-syntax-error.ts";
import { JsonTypeError } from "../raw-json/json-type-error.ts";
import type { CniVerb } from "../verbs/cni-verb.ts";
import { describeEnd, describeTime } from "./describe-end.ts";
import { type ErrorObject, parseErrorObject } from "./error-object.ts";

/**
 * The error of a run that is not an exit with status 0. The plugin's own error object keeps code, msg and details;
 * everything else is described in libcni's words with code 0, or 11 where another try may well succeed.
 * @see libcni `invoke.RawExec.pluginErr`
 */
export function pluginFailure(plugin: string, command: CniVerb, outcome: PluginOutcome): PluginFailedError {
  const facts: PluginFailureFacts = {
    plugin,
    command,
    kind: outcome.kind,
    started: outcome.kind !== "not-started",
  };
  switch (outcome.kind) {
    case "exited":
    case "killed":
      return failureWithOutput(
        { ...facts, stderr: lastPart(outcome.output.stderr) },
        outcome,
        outcome.output,
      );
    case "timed-out":
      return new PluginFailedError(
        `plugin ${goQuote(plugin)} did not end within ${describeTime(outcome.timeoutMs)} and was killed`,
        { ...facts, code: CniCode.TryAgainLater, stderr: lastPart(outcome.output.stderr) },
      );
    case "cancelled":
      return new PluginFailedError(withoutMessage(outcome), {
        ...facts,
        code: CniCode.TryAgainLater,
        stderr: lastPart(outcome.output.stderr),
      });
    case "executor-lost":
      return new PluginFailedError(withoutMessage(outcome), { ...facts, code: CniCode.TryAgainLater });
    case "not-started": {
      const isPassing = outcome.reason === "text-busy" || outcome.reason === "out-of-resources";
      return new PluginFailedError(withoutMessage(outcome), {
        ...facts,
        ...(isPassing ? { code: CniCode.TryAgainLater } : {}),
      });
    }
  }
}

function failureWithOutput(
  facts: PluginFailureFacts,
  outcome: PluginOutcome,
  output: PluginOutput,
): PluginFailedError {
  const silence = output.stderr.trim() === "" ? withoutMessage(outcome) : stderrOnly(outcome, output);
  if (output.stdout === "") return new PluginFailedError(silence, facts);
  let object: ErrorObject;
  try {
    object = parseErrorObject(output.stdout);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError) && !(error instanceof JsonTypeError)) throw error;
    return unreadable(facts, output, error);
  }
  const { code, msg, details } = object;
  return new PluginFailedError(msg === "" ? silence : excerpt(msg), {
    ...facts,
    code,
    // `{}` is an answer of nobody: libcni makes an empty message of it.
    fromPlugin: msg !== "" || code !== 0,
    ...(details === "" ? {} : { details: excerpt(details) }),
  });
}

function unreadable(facts: PluginFailureFacts, output: PluginOutput, error: Error): PluginFailedError {
  const quoted = goQuote(output.stdout);
  const message = `netplugin failed but error parsing its diagnostic message ${quoted}: ${error.message}`;
  const stderr = output.stderr.trim();
  return new PluginFailedError(message, {
    ...facts,
    cause: error,
    ...(stderr === "" ? {} : { details: `stderr: ${goQuote(lastPart(stderr))}` }),
  });
}

function withoutMessage(outcome: PluginOutcome): string {
  return `netplugin failed with no error message: ${describeEnd(outcome)}`;
}

function stderrOnly(outcome: PluginOutcome, output: PluginOutput): string {
  return `netplugin failed: ${goQuote(lastPart(output.stderr))}: ${describeEnd(outcome)}`;
}
