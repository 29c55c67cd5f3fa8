import { describe, expect, it } from "vitest";
import { fuzzReader } from "../../fuzz/fuzz-reader.ts";
import { readers } from "../../fuzz/readers.ts";

/** `make fuzz` does the same for longer and with another seed each time. */
const seed = 20260824;
const count = 3000;
/** For a machine that is busy with everything else at once; alone it takes a second. */
const timeoutMs = 60_000;

describe.each(readers.map((reader) => [reader.name, reader] as const))(
  "the reader of a %s",
  (_name, reader) => {
    it("takes any bytes or refuses them with a CniError, in time that grows with their length", {
      timeout: timeoutMs,
    }, () => {
      const report = fuzzReader(reader, seed, (inputs) => inputs >= count);

      expect(report.findings).toEqual([]);
      expect(report.inputs).toBe(count);
      // Else the changes are too wild, and nothing behind the first check is reached.
      expect(report.accepted).toBeGreaterThan(count / 20);
      expect(report.refusals).toBeGreaterThan(10);
    });
  },
);
