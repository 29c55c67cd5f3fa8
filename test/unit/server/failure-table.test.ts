import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { failureClasses } from "../../../src/attachments/failure.ts";
import { failureTable } from "../../../src/server/failure-table.ts";
import { renderFailureTable } from "../../../src/server/render-failure-table.ts";

describe("the failure table", () => {
  it("has the statuses and codes of the contract", () => {
    const rows = failureClasses.map((name) => [name, failureTable[name].status, failureTable[name].code]);

    expect(rows).toEqual([
      ["malformed-request", 400, 6],
      ["invalid-configuration", 422, 7],
      ["network-forbidden", 403, 7],
      ["network-missing", 404, 7],
      ["pod-mismatch", 409, 11],
      ["device-busy", 409, 11],
      ["too-busy", 429, 11],
      ["delegate-failed", 502, 999],
      ["not-ready", 503, 11],
      ["deadline-exceeded", 504, 11],
      ["storage-failed", 507, 5],
      ["internal", 500, 999],
    ]);
  });

  it("says for every class when it comes and what to do", () => {
    for (const row of Object.values(failureTable)) {
      expect(row.when).toMatch(/\w/);
      expect(row.nextStep).toMatch(/\w/);
    }
  });

  it("is what docs/failures.md shows", async () => {
    const page = await readFile("docs/failures.md", "utf8");

    const [, shown] =
      /<!-- generated:failure-table -->\n([\s\S]*?)\n<!-- \/generated:failure-table -->/.exec(page) ?? [];
    expect(shown?.trim()).toBe(renderFailureTable());
  });

  it("names every class in docs/failures.md beyond the table only if the code has it", async () => {
    const page = await readFile("docs/failures.md", "utf8");

    const named = [...page.matchAll(/`x-multusd-failure: ([a-z-]+)`/g)].map(([, name]) => name);
    expect(failureClasses).toEqual(expect.arrayContaining(named));
  });
});
