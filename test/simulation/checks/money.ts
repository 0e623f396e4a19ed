/** What rows count against budgets (design § Purchases and § Budgets), by the checkers' own arithmetic. */
import { periodsOf } from "./calendar.ts";
import type { PurchaseRow, UseRow } from "./ledger-rows.ts";

/** In micros of one currency. */
export interface Counted {
  readonly currency: string;
  readonly reserved: number;
  readonly inDoubt: number;
  readonly settled: number;
  /** The part of `settled` that is the gateway's fee. */
  readonly fee: number;
}

/** Reserved, started and in doubt count what was set aside, settled counts the charge, released counts nothing. */
export function countPurchase(row: PurchaseRow): Counted | null {
  const setAside = row.quoted + row.fee + row.useReserve;
  switch (row.state) {
    case "reserved":
    case "started":
      return row.currency === null ? null : { ...NOTHING, currency: row.currency, reserved: setAside };
    case "in_doubt":
      return row.currency === null ? null : { ...NOTHING, currency: row.currency, inDoubt: setAside };
    case "settled": {
      const [charged, fee] = [row.charged ?? 0, row.chargedFee ?? 0];
      return row.chargedCurrency === null
        ? null
        : { ...NOTHING, currency: row.chargedCurrency, settled: charged + fee, fee };
    }
    case "released":
      return null;
    default:
      return row.state satisfies never;
  }
}

/** A billed use counts its expected price until its report is settled, then what the gateway took for it. */
export function countUse(row: UseRow): Counted | null {
  if (row.billed === 0) {
    return null;
  }
  return row.state === "settled"
    ? { ...NOTHING, currency: row.chargedCurrency ?? row.currency, settled: row.charged ?? 0 }
    : { ...NOTHING, currency: row.currency, reserved: row.unit * row.times };
}

const NOTHING = { reserved: 0, inDoubt: 0, settled: 0, fee: 0 };

export function totalOf(counted: Counted | null): number {
  return counted === null ? 0 : counted.reserved + counted.inDoubt + counted.settled;
}

/** Every scope and period that money of a host and a run counts in, named as in the ledger: `<scope> <period>`. */
export function placesOf(host: string, run: string | null, at: number): readonly string[] {
  const periods = periodsOf(at);
  return [
    ...periods.map((period) => `all ${period}`),
    ...periods.map((period) => `site:${host} ${period}`),
    ...(run === null ? [] : [`run:${run} total`]),
  ];
}

/** A purchase always counts in the periods in which it was reserved. */
export function placesOfPurchase(row: PurchaseRow): readonly string[] {
  return placesOf(row.host, row.run, row.reservedAt);
}

export function placesOfUse(row: UseRow): readonly string[] {
  return placesOf(row.host, row.run, row.budgetAt);
}
