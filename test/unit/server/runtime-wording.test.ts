import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  keepOutOfRuntimeWording,
  phrasesThatRuntimesSwallow,
} from "../../../src/attachments/runtime-wording.ts";

describe("keeping DEL failures out of the wording that runtimes swallow", () => {
  it.each([
    ["Link not found", "Link missing"],
    ["NOT FOUND", "missing"],
    ["open /x: No Such File Or Directory", "open /x: file or directory is missing"],
    ["not not foundfound", "not missingfound"],
    ["switch unreachable", "switch unreachable"],
  ])("turns %j into %j", (text, kept) => {
    expect(keepOutOfRuntimeWording(text)).toBe(kept);
  });

  it("leaves no phrase of the list, however the text is put together and in whatever letter case", () => {
    const word = fc.constantFrom(
      "not ",
      "found",
      " ",
      "no such",
      " file or",
      " directory",
      "no",
      "t",
      "NOT ",
      "Found",
    );
    const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(""));

    fc.assert(
      fc.property(text, (given) => {
        const kept = keepOutOfRuntimeWording(given);
        for (const phrase of phrasesThatRuntimesSwallow) {
          expect(kept.toLowerCase()).not.toContain(phrase);
        }
        expect(keepOutOfRuntimeWording(kept)).toBe(kept);
      }),
    );
  });
});
