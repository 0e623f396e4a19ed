/** `licet statement`: forms, files, and what is refused. */
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";

const PAGES = 3;
/** Nothing moves the clock over the end of a month but the month itself. */
const MONTH = new Date().toISOString().slice(0, 7);

let world: CliWorld;
beforeAll(async () => {
  world = await createCliWorld({ sites: [newsSite(PAGES)], rates: ONE_PRICE });
  await world.cli("run");
});
afterAll(() => world.close());

const statement = (...args: string[]) => world.cli("statement", "--month", MONTH, ...args);

describe("licet statement", () => {
  test("prints a table for people, and says that the month goes on", async () => {
    const { code, stdout } = await statement();
    expect(code).toBe(0);
    expect(stdout).toContain(`${MONTH} (UTC). The month is not complete`);
    expect(stdout).toMatch(/news\.example +3 +0\.03 USD +0\.00 USD +0 +0\.00 USD +0\.00 USD +0\.03 USD/);
    expect(stdout).toMatch(new RegExp(`${MONTH} +0\\.03 USD`));
  });

  test("prints the same bytes each time, in each form", async () => {
    for (const format of ["table", "csv", "json", "markdown"]) {
      const [first, second] = [await statement("--format", format), await statement("--format", format)];
      expect(first.stdout).not.toBe("");
      expect(second.stdout).toBe(first.stdout);
    }
    expect((await statement("--json")).stdout).toBe((await statement("--format", "json")).stdout);
  });

  test("--out writes a file that only its owner can read, and replaces an earlier one", async () => {
    const file = join(world.directory, "statement.csv");
    writeFileSync(file, "an earlier one, which was longer than this");
    chmodSync(file, 0o644);
    const { code, value } = await world.json(
      "statement",
      "--month",
      MONTH,
      "--format",
      "csv",
      "--out",
      "statement.csv",
    );
    const text = readFileSync(file, "utf8");
    expect({ code, value }).toEqual({
      code: 0,
      value: { file, format: "csv", bytes: text.length, month: MONTH, complete: false },
    });
    expect(text).toBe((await statement("--format", "csv")).stdout);
    expect(text.split("\r\n")).toHaveLength(3);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("--out into a folder that is not there fails, and leaves nothing", async () => {
    const { code, stderr } = await statement("--out", "missing/statement.csv");
    expect(code).toBe(1);
    expect(stderr).toContain("statement.csv cannot be written (ENOENT)\n  hint: Name a file with --out");
    expect(existsSync(join(world.directory, "missing"))).toBe(false);
  });

  test("--site is the statement of one site; one that nothing is known of is refused", async () => {
    const json = await world.json("statement", "--month", MONTH, "--site", "NEWS.example");
    expect(json).toMatchObject({ code: 0, value: { site: "news.example", lines: [{ group: "news.example" }] } });
    const { code, stderr } = await statement("--site", "other.example");
    expect(code).toBe(2);
    expect(stderr).toContain("other.example is not a configured site");
  });

  test("without --month it is the month that ended last", async () => {
    const { value } = await world.json("statement");
    expect(value).toMatchObject({ complete: true, lines: [], totals: [] });
    expect((value as { month: string }).month < MONTH).toBe(true);
    const { stderr } = await world.cli("statement");
    expect(stderr).toContain(`this month so far: licet statement --month ${MONTH}`);
    expect((await statement()).stderr).toBe("");
  });

  test("--from and --to are UTC days, and --from alone goes on until today", async () => {
    // The run may have ended yesterday.
    const { value } = await world.json("statement", "--from", "yesterday", "--site", "news.example");
    const [yesterday, today] = [1, 0].map((days) =>
      new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10),
    );
    expect(value).toMatchObject({
      month: `${yesterday}..${today}`,
      wholeMonth: false,
      from: `${yesterday}T00:00:00.000Z`,
      complete: false,
      lines: [{ group: "news.example", total: { pages: PAGES, chargedMicros: 30_000 } }],
    });
    const earlier = await world.cli("statement", "--from", "2026-01-30", "--to", "2026-02-01", "--by", "day");
    expect(earlier).toMatchObject({
      code: 0,
      stdout: "2026-01-30..2026-02-01 (UTC). The period is complete: it has ended. Nothing was booked.\n",
    });
    expect(
      (await world.cli("statement", "--from", "2026-01-30", "--to", "2026-01-30", "--format", "csv")).stdout,
    ).toMatch(/^month,complete,site,/);
  });

  test.each([
    [["--month", "2026-13"], /"2026-13" is not a month/],
    [["--month", "november"], /"november" is not a month/],
    [["--from", "2026-02-29"], /"2026-02-29" is not a day[\s\S]*2026-11-20, today or yesterday/],
    [["--from", "2026-11-02", "--to", "2026-11-01"], /2026-11-02 is after 2026-11-01/],
    [["--from", "2024-01-01", "--to", "2026-01-01"], /732 days are more than 366/],
    [["--to", "2026-11-01"], /Name a month, or a first day \(--from\)/],
    [["--month", "2026-11", "--from", "2026-11-01"], /cannot be used with option '--month/],
    [["--by", "moon"], /moon/],
    [["--format", "csv", "--json"], /two forms of one output/],
  ])("refuses %j with exit code 2", async (args, message) => {
    const { code, stderr, stdout } = await world.cli("statement", ...args);
    expect(code).toBe(2);
    expect(stderr + stdout).toMatch(message);
  });
});
