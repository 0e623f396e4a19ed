import { describe, expect, test } from "vitest";
import { formatAmountCell } from "../../../src/cli/output/format-values.ts";
import { formatHost, parseHost } from "../../../src/cli/output/host-name.ts";
import { PLAIN_LAYOUT } from "../../../src/cli/output/layout.ts";
import { type Column, formatTable, widthOf } from "../../../src/cli/output/text-table.ts";
import { toMicros } from "../../../src/money/micros.ts";

const COLUMNS: readonly Column[] = [
  { title: "id" },
  { title: "cost", align: "right" },
  { title: "page", below: true },
  { title: "detail", wrap: true },
];
const ROW = { cells: ["run_1", "12.00 USD", "https://news.example/a", "two words of detail and more"] };
const at = (columns: number, row = ROW) => formatTable(COLUMNS, [row], { ...PLAIN_LAYOUT, columns });

describe("a table", () => {
  test("is one line a row where that fits", () => {
    expect(at(80)).toBe(
      "  id          cost  page                    detail\n  run_1  12.00 USD  https://news.example/a  two words of detail and more\n",
    );
  });

  test("wraps sentences before anything else", () => {
    expect(at(60)).toBe(
      "  id          cost  page                    detail\n  run_1  12.00 USD  https://news.example/a  two words of\n                                            detail and more\n",
    );
  });

  test("puts addresses below their rows before it gives up the columns", () => {
    expect(at(50)).toBe(
      "  id          cost  detail\n  run_1  12.00 USD  two words of detail and more\n    https://news.example/a\n",
    );
  });

  test("becomes blocks where it is too narrow, and never cuts a word", () => {
    expect(at(30)).toBe(
      "  run_1\n    cost 12.00 USD\n    detail two words of detail\n    and more\n    https://news.example/a\n",
    );
  });

  test("is empty without rows, and has no line of titles where no column has one", () => {
    expect(formatTable(COLUMNS, [], PLAIN_LAYOUT)).toBe("");
    expect(formatTable([{ title: "" }, { title: "" }], [{ cells: ["1", "a"] }], PLAIN_LAYOUT)).toBe("  1  a\n");
  });

  test("cleans its cells and notes", () => {
    const row = { cells: ["a\u001b[31mb", "", "", ""], notes: ["c\u0007d\ne"] };
    expect(formatTable(COLUMNS, [row], PLAIN_LAYOUT)).toContain("  ab\n    cd e\n");
  });

  test("counts columns as a terminal does", () => {
    expect(["abc", "日本", "e\u0301", "\u{1f600}"].map(widthOf)).toEqual([3, 4, 1, 2]);
  });
});

test.each([
  [1_234_567_500_000, "1,234,567.50 USD"],
  [999_000_000, "999.00 USD"],
  [1_000_000_001, "1,000.000001 USD"],
  [-12_345_000_000, "-12,345.00 USD"],
  [null, "-"],
])("%s micros are %s in a table", (micros, text) => {
  expect(formatAmountCell(micros === null ? null : toMicros(micros), "USD")).toBe(text);
});

describe("a host", () => {
  test.each([
    ["news.example", "news.example"],
    ["xn--bcher-kva.example", "bücher.example (xn--bcher-kva.example)"],
    // Cyrillic letters that look like Latin ones.
    ["xn--80ak6aa92e.example", "аррӏе.example (xn--80ak6aa92e.example)"],
    ["xn--a.example", "xn--a.example"],
  ])("%s is shown as %s", (host, text) => {
    expect(formatHost(host)).toBe(text);
  });

  test("is understood as people write it", () => {
    expect(parseHost("Bücher.example")).toBe("xn--bcher-kva.example");
    expect(parseHost("not a host")).toBe("not a host");
  });
});
