/** One call of a recording plugin. */
export interface RecordedCall {
  readonly command: string;
  readonly containerId: string;
  readonly ifName: string;
  readonly netns: string;
  /** CNI `name`. */
  readonly network: string;
  readonly type: string;
  /** argv[0]. */
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  /** Exact text. */
  readonly stdin: string;
  readonly pid: number;
  /** Process group. */
  readonly group: number;
  /** CLOCK_MONOTONIC. */
  readonly startedNs: bigint;
  /** Absent: it still runs or was killed. */
  readonly endedNs?: bigint;
  readonly exit?: number;
  /** What a `hang` started. */
  readonly grandchild?: number;
}

interface StartLine {
  readonly event: "start";
  readonly pid: number;
  readonly group: number;
  readonly monotonicNs: string;
  readonly path: string;
  readonly network: string;
  readonly type: string;
  readonly env: Record<string, string>;
  readonly stdin: string;
}

interface LaterLine {
  readonly event: "end" | "hang";
  readonly pid: number;
  readonly monotonicNs: string;
  readonly exit: number;
  readonly grandchild: number;
}

type MutableCall = { -readonly [key in keyof RecordedCall]: RecordedCall[key] };

/** Joins the start and end lines of `calls.jsonl`; a last line that is not whole yet is left out. */
export function parseCalls(text: string): readonly RecordedCall[] {
  const calls: MutableCall[] = [];
  const running = new Map<number, MutableCall>();
  for (const line of text.split("\n").slice(0, -1)) {
    const event = JSON.parse(line) as StartLine | LaterLine;
    if (event.event === "start") {
      const call = begin(event);
      calls.push(call);
      running.set(event.pid, call);
      continue;
    }
    const call = running.get(event.pid);
    if (call === undefined) continue;
    if (event.event === "hang") call.grandchild = event.grandchild;
    else {
      call.endedNs = BigInt(event.monotonicNs);
      call.exit = event.exit;
      running.delete(event.pid);
    }
  }
  return calls;
}

function begin(event: StartLine): MutableCall {
  return {
    command: event.env["CNI_COMMAND"] ?? "",
    containerId: event.env["CNI_CONTAINERID"] ?? "",
    ifName: event.env["CNI_IFNAME"] ?? "",
    netns: event.env["CNI_NETNS"] ?? "",
    network: event.network,
    type: event.type,
    path: event.path,
    env: event.env,
    stdin: Buffer.from(event.stdin, "base64").toString("utf8"),
    pid: event.pid,
    group: event.group,
    startedNs: BigInt(event.monotonicNs),
  };
}
