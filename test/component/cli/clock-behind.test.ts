/** The clock is before the newest rows of the ledger: another machine's clock was right, or the clock was ahead before. */
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { cliHere } from "../../doubles/cli-here.ts";
import { createCliWorld, newsSite, ONE_PRICE } from "../../doubles/cli-world.ts";

const DAY_MS = 86_400_000;
const MONTHLY = [{ scope: "all", per: "month", limit: "100 USD" }];

/** A ledger with one run, whose rows are of a later time. */
async function open(aheadMs: number, budgets: readonly object[] = MONTHLY) {
  const world = await createCliWorld({ sites: [newsSite(3)], rates: ONE_PRICE }, { budgets });
  onTestFinished(() => world.close());
  const licet = (...args: string[]) => cliHere(args, { cwd: world.directory });
  expect(await licet("run")).toMatchObject({ code: 0 });
  const database = new Database(world.ledgerFile);
  database.exec(`UPDATE run SET started_at = started_at + ${aheadMs}, ended_at = ended_at + ${aheadMs}`);
  database.close();
  return licet;
}

test("a run buys nothing under the budget of a period that is over, and leaves no row; reading and reporting go on", async () => {
  const licet = await open(40 * DAY_MS);
  const { code, stdout } = await licet("run", "--json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    runId: null,
    error: { code: "CLOCK_BEHIND", hint: expect.stringContaining("licet run --trust-clock") },
  });
  const status = await licet("status", "--json");
  expect(JSON.parse(status.stdout).runs).toHaveLength(1);
  expect(await licet("report")).toMatchObject({ code: 0 });
  expect(await licet("plan")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("is before the newest rows of the ledger"),
  });
});

test("after a person's word the run goes on, and the next one needs no word", async () => {
  const licet = await open(40 * DAY_MS);
  expect(await licet("run", "--trust-clock")).toMatchObject({ code: 0 });
  expect(await licet("run")).toMatchObject({ code: 0, stderr: expect.not.stringContaining("the clock") });
});

const TOTAL = [{ scope: "all", per: "total", limit: "100 USD" }];

test("a run buys nothing in an earlier month under budgets without a period either: statements count by months", async () => {
  const licet = await open(40 * DAY_MS, TOTAL);
  const { code, stderr } = await licet("run");
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /nothing is bought, because it would count in the statement of month \d{4}-\d{2}, not of month/,
  );
  expect(await licet("run", "--trust-clock")).toMatchObject({ code: 0 });
});

/** Rows so far ahead are of this month still, but for some minutes at its end. */
const AHEAD_MS = 600_000;
const isMonthOver = new Date(Date.now() + 2 * AHEAD_MS).getUTCMonth() !== new Date().getUTCMonth();

test.skipIf(isMonthOver)(
  "within the same month and the same periods of all budgets, a run warns and goes on",
  async () => {
    const licet = await open(AHEAD_MS, TOTAL);
    expect(await licet("run")).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /the clock of this machine \(\S+Z\) is before the newest rows of the ledger \(\S+Z\)/,
      ),
    });
  },
);
