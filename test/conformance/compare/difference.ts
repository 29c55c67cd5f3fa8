import type { Json } from "../json-text.ts";
import type { LeftFile } from "../run/observation.ts";

interface Both<T> {
  readonly upstream: T;
  readonly ours: T;
}

/** One thing in which two observations of a step are not the same. */
export type Difference =
  | ({ readonly kind: "exit" } & Both<number | null>)
  | ({ readonly kind: "stdout" } & Both<string>)
  /** Which plugins were called with which verb, in order. */
  | ({ readonly kind: "calls" } & Both<readonly string[]>)
  /** Of a call that both made; `path` is the plugin's. */
  | ({ readonly kind: "variable"; readonly call: string; readonly name: string } & Both<string | undefined>)
  /** A key of what a plugin that both called got on stdin. */
  | ({
      readonly kind: "stdin";
      readonly call: string;
      readonly type: string;
      readonly containerId: string;
      readonly ifName: string;
      readonly cniVersion: string;
      readonly key: string;
    } & Both<Json | undefined>)
  /** A file that one side has and the other has not, or that is no record on one side. */
  | ({ readonly kind: "file"; readonly name: string } & Both<LeftFile | undefined>)
  | ({ readonly kind: "mode"; readonly name: string } & Both<number>)
  /** A key of a cached record that both have. */
  | ({ readonly kind: "record"; readonly name: string; readonly key: string } & Both<Json | undefined>);
