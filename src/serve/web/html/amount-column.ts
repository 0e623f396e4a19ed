/** A column of amounts: all with as many decimals as the longest of them, so that units stand below units. Zeros are added, and nothing is rounded. */
import { decimalsOf } from "../../../money/format-money.ts";
import type { Micros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { HtmlValue } from "./html.ts";
import type { Column } from "./tables.ts";
import { amounts, NONE } from "./values.ts";

export type ByCurrency = Readonly<Record<Currency, Micros>>;

/**
 * @param of the amounts of a row, a line for each currency
 * @param none instead of amounts, where there are none
 */
export function amountColumn<Row>(
  title: string,
  of: (row: Row) => ByCurrency,
  none: (row: Row) => HtmlValue = () => NONE,
): Column<Row> {
  return {
    title,
    isNumber: true,
    decimals: (rows) => Math.max(0, ...rows.flatMap((row) => Object.values(of(row)).map(decimalsOf))),
    cell: (row, decimals) => {
      const byCurrency = of(row);
      return Object.keys(byCurrency).length === 0 ? none(row) : amounts(byCurrency, decimals);
    },
  };
}

/** None where there is no amount or no currency. */
export function oneAmount(micros: Micros | null, currency: Currency | null): ByCurrency {
  return micros === null || currency === null ? {} : { [currency]: micros };
}

/** One amount of each currency's figures. */
export function amountOfEach<Figures>(
  figures: Readonly<Record<Currency, Figures>>,
  of: (figures: Figures) => Micros,
): ByCurrency {
  return Object.fromEntries(Object.entries(figures).map(([currency, one]) => [currency, of(one)]));
}
