import { expect, test } from "vitest";
import type { Micros } from "../../../../../src/money/micros.ts";
import { amountColumn, oneAmount } from "../../../../../src/serve/web/html/amount-column.ts";
import { table } from "../../../../../src/serve/web/html/tables.ts";

interface Row {
  readonly micros: number | null;
}

const show = (...micros: readonly (number | null)[]) =>
  String(
    table<Row>({
      caption: "amounts",
      columns: [
        { title: "Row", cell: () => "a row" },
        amountColumn("Amount", (row) => oneAmount(row.micros as Micros | null, "USD")),
      ],
      rows: micros.map((one) => ({ micros: one })),
      empty: "",
    }),
  ).match(/(?<=data-currency="USD">)[^<]+|(?<=class="none">)[^<]+/g);

test("amounts below each other have as many decimals as the longest of them, and none is rounded", () => {
  expect(show(530_000, 529_950, -1_000_000, null, 0)).toEqual([
    "0.53000 USD",
    "0.52995 USD",
    "-1.00000 USD",
    "–",
    "0.00000 USD",
  ]);
  expect(show(1, 12_000_000)).toEqual(["0.000001 USD", "12.000000 USD"]);
  expect(show(0, 12_500_000)).toEqual(["0.00 USD", "12.50 USD"]);
  expect(show(null)).toEqual(["–"]);
});
