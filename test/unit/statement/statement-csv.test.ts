import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Micros } from "../../../src/money/micros.ts";
import { addUpStatement } from "../../../src/statement/add-up.ts";
import { toSpreadsheetText } from "../../../src/statement/spreadsheet-text.ts";
import { formatStatementCsv } from "../../../src/statement/statement-csv.ts";

/** What a spreadsheet runs. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/;
/** As docs/commands.md says it. */
const toText = (cell: string) => cell.replace(/(^|;)'(?=\s*[=+\-@'＝＋－＠])/g, "$1");
const texts = fc.string({ unit: fc.constantFrom(..."=+-@＝＠';,\"\t\r\n a1") });

describe("a text in a file for spreadsheets", () => {
  test.each([
    ["=HYPERLINK(1)", "'=HYPERLINK(1)"],
    ["+1", "'+1"],
    ["-1.5", "'-1.5"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["＝1", "'＝1"],
    [" =1", "' =1"],
    ["CUSTOM_LICENSE a;=1;b", "CUSTOM_LICENSE a;'=1;b"],
    ["'quoted", "''quoted"],
    ["news.example", "news.example"],
    ["ON_DEMAND_LICENSE a-b=c", "ON_DEMAND_LICENSE a-b=c"],
  ])("%j is %j", (text, expected) => {
    expect(toSpreadsheetText(text)).toBe(expected);
  });

  test("runs nowhere, and can be had back", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = toSpreadsheetText(text);
        expect(shown.split(";").filter((cell) => FORMULA.test(cell))).toEqual([]);
        expect(toText(shown)).toBe(text);
      }),
    );
  });
});

describe("the CSV of a statement", () => {
  test("has texts that run nowhere, and numbers as they are, also negative ones", () => {
    const group = '\t=cmd|" /c calc"!A1';
    const money = { currency: "+USD", chargedCurrency: "+USD", budgetMonth: "2026-11" };
    const { lines, totals } = addUpStatement({
      purchases: [],
      openDoubts: [],
      uses: [
        {
          kind: "use",
          group,
          ...money,
          times: 1,
          expectedMicros: 2_000_000 as Micros,
          chargedMicros: 500_000 as Micros,
        },
      ],
      receipts: [],
      lastOfMonthAt: null,
      lastBookedAt: null,
    });
    const day = "2026-11-01T00:00:00.000Z";
    const period = { month: "2026-11", wholeMonth: true, from: day, to: day, until: day, complete: true };
    const csv = formatStatementCsv({ ...period, by: "license", site: null, lines, totals });
    const [line] = parse(csv, { columns: true }) as Record<string, string>[];
    expect(line).toMatchObject({
      license: `' ${group.slice(1)}`,
      currency: "'+USD",
      receipts_difference: "-1.50",
      receipts_difference_micros: "-1500000",
    });
  });
});
