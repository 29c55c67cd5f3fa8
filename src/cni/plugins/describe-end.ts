import type { PluginOutcome } from "../execute-plugin.ts";

const signalWords: Readonly<Record<string, string>> = {
  SIGHUP: "hangup",
  SIGINT: "interrupt",
  SIGQUIT: "quit",
  SIGILL: "illegal instruction",
  SIGTRAP: "trace/breakpoint trap",
  SIGABRT: "aborted",
  SIGBUS: "bus error",
  SIGFPE: "floating point exception",
  SIGKILL: "killed",
  SIGUSR1: "user defined signal 1",
  SIGSEGV: "segmentation fault",
  SIGUSR2: "user defined signal 2",
  SIGPIPE: "broken pipe",
  SIGALRM: "alarm clock",
  SIGTERM: "terminated",
  SIGXCPU: "CPU time limit exceeded",
  SIGXFSZ: "file size limit exceeded",
  SIGSYS: "bad system call",
};

/** How a run ended, in the words of Go's `os/exec`: what libcni appends to its own texts. */
export function describeEnd(outcome: PluginOutcome): string {
  switch (outcome.kind) {
    case "exited":
      return `exit status ${outcome.exitCode}`;
    case "killed":
      return `signal: ${signalWords[outcome.signal] ?? outcome.signal}`;
    case "timed-out":
      return `no end within ${describeTime(outcome.timeoutMs)}`;
    case "cancelled":
      return "context canceled";
    case "not-started":
    case "executor-lost":
      return outcome.message;
  }
}

/** Whole seconds from one second on: a limit that is a share of the time left must not make each error text a new one. */
export function describeTime(timeoutMs: number): string {
  return timeoutMs < 1000 ? `${Math.round(timeoutMs)} ms` : `${Math.round(timeoutMs / 1000)} s`;
}
