import { afterAll, describe, expect, it } from "vitest";
import { documentedTable } from "../support/markdown-table.ts";
import { type CellOutcome, cellContainer, deleteWithSpool } from "../support/spool-cell.ts";
import { startUndecided, type UndecidedDaemon } from "../support/undecided-daemons.ts";

const daemons = documentedTable("docs/shim.md", "undecided-daemons");
const outcomes = documentedTable("docs/shim.md", "undecided-outcomes");

const policies = [
  { column: "deferred", policy: "deferred", escalated: false, spooledAs: "deferred" },
  { column: "lenient", policy: { mode: "lenient" }, escalated: false, spooledAs: "lenient" },
  { column: "strict", policy: "strict", escalated: false, spooledAs: "never" },
  { column: "strict, escalated", policy: { mode: "strict" }, escalated: true, spooledAs: "strict" },
];

/** What each word of the table promises. */
const promises: Readonly<Record<string, (outcome: CellOutcome, reason: string, policy: string) => void>> = {
  spooled: (outcome, reason, policy) => {
    expect(outcome).toMatchObject({ code: 0, stdout: "" });
    const [entry, ...more] = outcome.spooled;
    expect(more).toEqual([]);
    expect(entry?.name).toBe(`${cellContainer}@eth0.json`);
    expect(entry?.body).toMatchObject({ policy, reason, env: { CNI_CONTAINERID: cellContainer } });
  },
  refused: (outcome) => expect(outcome).toMatchObject({ code: 1, printed: { code: 11 } }),
  "error 5": (outcome) => expect(outcome).toMatchObject({ code: 1, printed: { code: 5 } }),
};

/** The one promise of every cell: a success has the whole request on disk, anything else leaves nothing behind. */
function expectNoSilentSuccess(outcome: CellOutcome): void {
  const whole = outcome.spooled.filter(
    ({ body }) => body !== undefined && Buffer.from(body.config, "base64").toString() === outcome.stdin,
  );
  expect(whole).toHaveLength(outcome.code === 0 ? 1 : 0);
  expect(outcome.spooled).toHaveLength(whole.length);
  expect(outcome.stdout).not.toMatch(/not found|no such file or directory/i);
}

it("the tables of docs/shim.md name 7 daemons, 5 spools and 4 policies", () => {
  expect(daemons).toHaveLength(7);
  expect(outcomes).toHaveLength(5);
  expect(outcomes.map((row) => Object.keys(row))).toEqual(
    outcomes.map(() => ["spool", ...policies.map(({ column }) => column)]),
  );
});

describe.each(daemons)("DEL with a daemon that is $daemon", ({ daemon = "", reason = "" }) => {
  let running: UndecidedDaemon | undefined;
  const end = async () => {
    await running?.end();
    running = undefined;
  };
  afterAll(end);

  describe.each(policies)("$column", ({ column, policy, escalated, spooledAs }) => {
    const cells = outcomes.map((row) => ({ spool: row["spool"] ?? "", promised: row[column] ?? "" }));

    it.each(cells)("and a spool that is $spool: $promised", async ({ spool, promised }) => {
      running ??= await startUndecided(daemon);

      const { socketDir } = running;
      const outcome = await deleteWithSpool({ socketDir, spool, policy, escalated });

      if (daemon === "dying") await end();
      expect(Object.keys(promises)).toContain(promised);
      promises[promised]?.(outcome, reason, spooledAs);
      expectNoSilentSuccess(outcome);
    });
  });
});
