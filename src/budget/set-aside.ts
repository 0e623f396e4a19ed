/**
 * What an approved page sets aside, in the currency of its price, until it is settled, released or resolved (promise 1). The only sum of
 * these parts; where SQL adds them up over many rows, it is made from the same list (ledger/sqlite/money/purchase-money.ts).
 */
import { addMicros, type Micros, ZERO_MICROS } from "../money/micros.ts";

/** The quoted price, the gateway's fee on it, and the report of the fetch where that is billed too. */
export const SET_ASIDE_PARTS = ["quotedMicros", "feeMicros", "useReserveMicros"] as const;

export type SetAside = Readonly<Record<(typeof SET_ASIDE_PARTS)[number], Micros>>;

/** Of a page that has no price: it is only indexed. */
export const NOTHING_SET_ASIDE: SetAside = {
  quotedMicros: ZERO_MICROS,
  feeMicros: ZERO_MICROS,
  useReserveMicros: ZERO_MICROS,
};

export function setAsideMicros(parts: SetAside): Micros {
  return SET_ASIDE_PARTS.reduce((sum, part) => addMicros(sum, parts[part]), ZERO_MICROS);
}
