import { describe, expect, it } from "vitest";
import { damages } from "../../conformance/damages.ts";
import { generateScenario } from "../../conformance/generate/generate-scenario.ts";
import { NumberText, parseJson, throughFloat64 } from "../../conformance/json-text.ts";

const scenarios = Array.from({ length: 400 }, (_, index) => generateScenario(1, index));

describe("scenarios", () => {
  it("follow from seed and number, and can be printed and read again", () => {
    expect(generateScenario(1, 7)).toEqual(scenarios[7]);
    expect(JSON.parse(JSON.stringify(scenarios[7]))).toEqual(scenarios[7]);
    expect(generateScenario(2, 7)).not.toEqual(scenarios[7]);
  });

  it("have every verb, and every damage in some thousand", () => {
    const more = Array.from({ length: 4000 }, (_, index) => generateScenario(2, index));
    const steps = more.flatMap((scenario) => scenario.steps);
    const seen = steps.flatMap(({ before }) =>
      before.flatMap((change) => (change.kind === "damage" ? change.damage : [])),
    );

    expect([...new Set(steps.map(({ verb }) => verb))].sort()).toEqual([
      "add",
      "check",
      "del",
      "gc",
      "status",
    ]);
    expect(Object.keys(damages).filter((damage) => !seen.includes(damage))).toEqual([]);
  });

  it("have lists that can be read, but for a few", () => {
    const texts = scenarios.flatMap(({ files }) => files["net.d/20-own.conflist"] ?? []);

    expect(texts.length).toBeGreaterThan(200);
    for (const text of texts) expect(() => JSON.parse(text)).not.toThrow();
  });
});

describe("a number that went through Go", () => {
  it.each([
    ["1.0", "1"],
    ["1.10", "1.1"],
    ["-0", "-0"],
    ["9007199254740993", "9007199254740992"],
    ["12345678901234567890", "12345678901234567000"],
    ["1e22", "1e+22"],
    ["0.1e-7", "1e-8"],
    ["1E+2", "100"],
  ])("%s becomes %s", (written, printed) => {
    expect(throughFloat64(parseJson(written))).toEqual(new NumberText(printed));
  });
});
