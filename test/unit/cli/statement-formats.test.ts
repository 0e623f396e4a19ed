import { expect, test } from "vitest";
import { PLAIN_LAYOUT } from "../../../src/cli/output/layout.ts";
import { formatStatementMarkdown } from "../../../src/cli/statement/statement-markdown.ts";
import { formatStatementText } from "../../../src/cli/statement/statement-text.ts";
import { toMicros } from "../../../src/money/micros.ts";
import { createStatement } from "../../../src/statement/create-statement.ts";
import { formatStatementCsv } from "../../../src/statement/statement-csv.ts";
import type { BookedPurchases, TakenUses } from "../../../src/statement/statement-facts.ts";
import { parseCalendarMonth } from "../../../src/time/calendar-month.ts";

const BOUGHT: BookedPurchases = {
  kind: "charged",
  intent: "content",
  byOperator: false,
  group: "plain",
  currency: "USD",
  chargedCurrency: "USD",
  budgetMonth: "2026-11",
  pages: 2,
  setAsideMicros: toMicros(0),
  chargedMicros: toMicros(1_234_567_000_001),
  feeMicros: toMicros(5),
};
const USED: TakenUses = {
  kind: "use",
  group: "plain",
  currency: "USD",
  chargedCurrency: "USD",
  budgetMonth: "2026-11",
  times: 1,
  expectedMicros: toMicros(20),
  chargedMicros: toMicros(7),
};

/** Of lines with these names. */
function statementOf(...groups: string[]) {
  const month = parseCalendarMonth("2026-11");
  if (month === null) {
    throw new Error("not a month");
  }
  const facts = {
    purchases: groups.map((group) => ({ ...BOUGHT, group })),
    openDoubts: [],
    uses: groups.map((group) => ({ ...USED, group })),
    receipts: [],
    lastOfMonthAt: null,
    lastBookedAt: null,
  };
  return createStatement(month, { by: "license", host: null }, facts, month.to * 2);
}

/** RFC 4180, of texts without line breaks. */
function readCsv(text: string): string[][] {
  return text
    .split("\r\n")
    .filter((line) => line !== "")
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, bare = ""]) => quoted?.replaceAll('""', '"') ?? bare,
      ),
    );
}

test("the CSV has exact amounts, in units and in micros, and as many cells in each row", () => {
  const [names = [], ...rows] = readCsv(formatStatementCsv(statementOf("a", "b")));
  expect(rows.map(({ length }) => length)).toEqual([names.length, names.length]);
  const row = Object.fromEntries(names.map((name, index) => [name, rows[0]?.[index]]));
  expect(row).toMatchObject({
    month: "2026-11",
    complete: "yes",
    license: "a",
    currency: "USD",
    pages: "2",
    charged: "1234567.000001",
    charged_micros: "1234567000001",
    fees: "0.000005",
    uses_charged: "0.000007",
    receipts_difference: "-0.000013",
    receipts_difference_micros: "-13",
    total_charged_micros: "1234567000008",
  });
});

test.each([
  ["=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"],
  ["+1", "'+1"],
  ["-2+3", "'-2+3"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "' =1"],
  ['a "quoted", text', 'a "quoted", text'],
  ["two\r\nlines", "two lines"],
  ["\u001b[31mred", "red"],
])("the name %j is %j in the CSV, which a spreadsheet does not run", (name, shown) => {
  const [, row] = readCsv(formatStatementCsv(statementOf(name)));
  expect(row?.[2]).toBe(shown);
});

test("Markdown shows names as they stand", () => {
  const hostile = "<b>x</b> | [a](https://evil.example) `code` *bold* __init__ www.evil.example";
  const markdown = formatStatementMarkdown(statementOf(hostile));
  expect(markdown).toContain(
    "| \\<b\\>x\\</b\\> \\| \\[a\\](https\\://evil.example) \\`code\\` \\*bold\\* \\_\\_init\\_\\_ www\\.evil.example | 2 |",
  );
  expect(markdown).toContain("# Statement of 2026-11 by license\n");
});

test("text for people has the totals, and no control characters", () => {
  const text = formatStatementText(statementOf("a\u001b[31m\u202e", "b"), PLAIN_LAYOUT);
  expect(text).toContain("The month is complete");
  expect(text).toMatch(/TOTAL +4 +2,469,134\.000002 USD/);
  expect(text).not.toContain("\u001b");
  expect(text).not.toContain("\u202e");
});
