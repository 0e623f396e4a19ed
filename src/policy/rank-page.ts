/** The place of a page in the order of a run (`run.order`), other than that of the catalog: what is smaller is bought earlier. */
import type { Micros } from "../money/micros.ts";
import type { RunOrder } from "./rule.ts";

/** An order that needs the quotes of all pages first. */
export type BestFirst = Exclude<RunOrder, "catalog">;

export interface RankedPage {
  /** What the purchase would set aside. Null for indexing, which costs nothing. */
  readonly costMicros: Micros | null;
  /** What the page is worth: what its list says, or else the rule that allows it. Null: nobody says it. */
  readonly value: number | null;
  readonly lastModAt: number | null;
  /** The line of the list that names the page. Null: no list does. */
  readonly line: number | null;
}

/** Greater than every date (the last one is 8.64e15), and still an exact integer with the lines of a list added. */
const UNDATED = 9e15;
/** Greater than every value for a micro: the greatest value is 1e9. */
const FREE = 1e12;

/** Ranks of the same currency can be compared. Pages of the same rank are bought the cheaper first, then the newer, then by URL. */
export function rankPage(order: BestFirst, { costMicros, value, lastModAt, line }: RankedPage): number {
  switch (order) {
    case "newest":
      return lastModAt === null ? UNDATED + (line ?? 0) : -lastModAt;
    case "cheapest":
      return costMicros ?? 0;
    case "value":
      return costMicros === null || costMicros === 0 ? -FREE * (1 + (value ?? 0)) : 0 - (value ?? 0) / costMicros;
    default:
      return order satisfies never;
  }
}

/** Smaller for newer pages. The greatest for pages without a date. */
export function ageOf(lastModAt: number | null): number {
  return lastModAt === null ? UNDATED : -lastModAt;
}
