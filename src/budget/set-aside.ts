/**
 * What an approved page sets aside, in the currency of its price, until it is settled, released or resolved (promise 1). The only sum of
 * these parts; where SQL adds them up over many rows, it is made from the same list (ledger/sqlite/money/purchase-money.ts).
 */
import { addMicros, type Micros, ZERO_MICROS } from "../money/micros.ts";
import type { Money } from "../money/money.ts";

/** The quoted price, the gateway's fee on it, and the report of the fetch where that is billed too. */
export const SET_ASIDE_PARTS = ["quotedMicros", "feeMicros", "useReserveMicros"] as const;

export type SetAside = Readonly<Record<(typeof SET_ASIDE_PARTS)[number], Micros>>;

/** All that a verdict sets aside, as money; null where it costs nothing. */
export function costOf(verdict: Parameters<typeof toSetAside>[0]): Money | null {
  const { rate } = verdict;
  return rate === null ? null : { micros: setAsideMicros(toSetAside(verdict)), currency: rate.price.currency };
}

/** What a verdict sets aside. @param allowed with no rate, it costs nothing */
export function toSetAside({
  rate,
  feeMicros,
  useReserveMicros,
}: Omit<SetAside, "quotedMicros"> & { readonly rate: { readonly price: Money } | null }): SetAside {
  return { quotedMicros: rate === null ? ZERO_MICROS : rate.price.micros, feeMicros, useReserveMicros };
}

export function setAsideMicros(parts: SetAside): Micros {
  return SET_ASIDE_PARTS.reduce((sum, part) => addMicros(sum, parts[part]), ZERO_MICROS);
}
