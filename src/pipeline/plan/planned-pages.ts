/** A page that a plan would buy, with its price. */
import type { PlannedDecision } from "../../ledger/plan-book.ts";
import { type Micros, ZERO_MICROS } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import type { License } from "../../rates/license.ts";

/** A page that would be bought. */
export interface PlannedPage {
  readonly url: string;
  readonly host: string;
  /** Null for a page that is only indexed. */
  readonly license: License | null;
  /** The quoted price. Null for a page that is only indexed. */
  readonly priceMicros: Micros | null;
  /** What the purchase would set aside: the price, the fee on it, and the report of the fetch where that is billed too. */
  readonly setAsideMicros: Micros;
  readonly currency: Currency | null;
  readonly policyName: string;
  /** Position in the policy's rules, from 0. */
  readonly ruleIndex: number;
  /** What the list says of it. Null: nothing, or there is no list. */
  readonly value: number | null;
  readonly key: string | null;
}

export function toPlannedPage(
  { url, host, ruleIndex, price, value, key }: PlannedDecision,
  policyName: string,
): PlannedPage {
  return {
    url,
    host,
    license: price?.rate.license ?? null,
    priceMicros: price?.rate.price.micros ?? null,
    setAsideMicros: price?.cost.micros ?? ZERO_MICROS,
    currency: price?.cost.currency ?? null,
    policyName,
    ruleIndex,
    value,
    key,
  };
}
