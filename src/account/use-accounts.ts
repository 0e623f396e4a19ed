/** What a use of content counts in each state, and which movement of its report is booked (docs/accounts.md shows it with figures). */
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { BookingKind } from "../statement/booking.ts";
import type { UseState } from "../usage/use.ts";
import type { AccountName, AmountMove, CounterMove, Movement, StateCounter } from "./movement.ts";

/** What a use in a state counts. */
interface Line {
  /** Of a use that is charged on its report: `settledMicros` counts what it was charged, `reservedMicros` its expected price. */
  readonly account: Exclude<AccountName, "feeMicros" | "allowedMicros" | "reportedMicros"> | null;
  /** Of a use that names a run, beside `use_recorded`. */
  readonly counter: StateCounter | null;
}

/** The ledger also counts its uses by state. */
export const USE_ACCOUNTS = {
  pending: { account: "reservedMicros", counter: null },
  batched: { account: "reservedMicros", counter: null },
  settled: { account: "settledMicros", counter: "use_reported" },
  rejected: { account: "reservedMicros", counter: "use_rejected" },
  not_reported: { account: null, counter: null },
} as const satisfies Record<UseState, Line>;

/** The gateway has taken the report: the charges of its uses are final. No other movement of a report is booked. */
export const REPORT_TAKEN: BookingKind = "report_taken";

/** The money of a use that is charged on its report. */
export interface UseAmounts {
  readonly currency: Currency;
  /** The expected price, of all its times. */
  readonly expectedMicros: Micros;
  /** Where it is settled. */
  readonly charge: { readonly currency: Currency; readonly micros: Micros } | null;
}

/**
 * @param use null: it is not charged on its report, and counts no money
 * @param from null: it is recorded just now
 */
export function moveUse(use: UseAmounts | null, from: UseState | null, to: UseState): Movement {
  const amounts: AmountMove[] = [];
  const counters: CounterMove[] = from === null ? [{ counter: "use_recorded", reason: "", by: 1 }] : [];
  for (const [state, by] of [
    [from, -1],
    [to, 1],
  ] as const) {
    if (state !== null) {
      const { account, counter } = USE_ACCOUNTS[state];
      if (counter !== null) {
        counters.push({ counter, reason: "", by });
      }
      if (use !== null && account === "reservedMicros") {
        amounts.push({ account, currency: use.currency, micros: by * use.expectedMicros });
      } else if (use !== null && use.charge !== null && account === "settledMicros") {
        for (const charged of [account, "reportedMicros"] as const) {
          amounts.push({ account: charged, currency: use.charge.currency, micros: by * use.charge.micros });
        }
      }
    }
  }
  return { amounts, pages: [], counters, booking: null };
}
