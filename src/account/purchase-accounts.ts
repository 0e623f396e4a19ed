/** What a purchase counts in each state, and which of its movements are booked (docs/accounts.md shows it with figures). */
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import { isTakenBack, type PurchaseState } from "../purchase/purchase.ts";
import { type BookingKind, DOUBT_BOOKINGS } from "../statement/booking.ts";
import type { AccountName, AmountMove, CounterMove, Movement, PageMove, StateCounter } from "./movement.ts";

/** What a purchase in a state counts. */
interface Line {
  /** `settledMicros` counts what was charged, the others what the purchase sets aside. Null: no money. */
  readonly account: Exclude<AccountName, "feeMicros" | "allowedMicros" | "reportedMicros"> | null;
  /** Beside `approved`. */
  readonly counter: StateCounter | null;
}

/** Each purchase also counts as `approved`, but for one that was taken back: its page may be decided again, and would count twice. */
export const PURCHASE_ACCOUNTS = {
  reserved: { account: "reservedMicros", counter: null },
  started: { account: "reservedMicros", counter: null },
  in_doubt: { account: "inDoubtMicros", counter: "in_doubt" },
  settled: { account: "settledMicros", counter: "settled" },
  released: { account: null, counter: "released" },
} as const satisfies Record<PurchaseState, Line>;

/**
 * The movements that finance counts, by the state before and the state after; no other movement is booked. Content that comes after a release
 * is charged late.
 */
export const PURCHASE_BOOKINGS: Partial<Record<PurchaseState, Partial<Record<PurchaseState, BookingKind>>>> = {
  started: { settled: "charged", in_doubt: "doubt_opened" },
  in_doubt: { settled: "doubt_charged", released: "doubt_not_charged" },
  released: { settled: "charged_late" },
};

/** How a purchase stands. The reason is that of a release. */
export interface Standing {
  readonly state: PurchaseState;
  readonly reason?: string | null;
}

/** The money of a purchase. */
export interface PurchaseAmounts {
  /** Null: an indexing purchase, which sets nothing aside. */
  readonly currency: Currency | null;
  readonly setAsideMicros: Micros;
  /** What it was charged, fee included, where it is settled. The currency is null where nothing was. */
  readonly charge: { readonly currency: Currency | null; readonly micros: Micros; readonly feeMicros: Micros } | null;
}

/** @param from null: it is decided just now */
export function movePurchase(purchase: PurchaseAmounts, from: Standing | null, to: Standing): Movement {
  const amounts: AmountMove[] = [];
  const pages: PageMove[] = [];
  const counters: CounterMove[] = [];
  const approved = countApproved(to) - countApproved(from);
  if (approved !== 0) {
    const by = approved > 0 ? 1 : -1;
    counters.push({ counter: "approved", reason: "", by });
    if (purchase.currency !== null) {
      amounts.push({ account: "allowedMicros", currency: purchase.currency, micros: by * purchase.setAsideMicros });
    }
  }
  for (const [standing, by] of [
    [from, -1],
    [to, 1],
  ] as const) {
    if (standing !== null) {
      const { counter } = PURCHASE_ACCOUNTS[standing.state];
      if (counter !== null) {
        counters.push({ counter, reason: standing.state === "released" ? (standing.reason ?? "") : "", by });
      }
      addAmounts(amounts, purchase, standing.state, by);
      addPages(pages, purchase, standing, by);
    }
  }
  return { amounts, pages, counters, booking: from === null ? null : bookingOf(purchase, from.state, to.state) };
}

function countApproved(standing: Standing | null): number {
  return standing === null || (standing.state === "released" && isTakenBack(standing.reason ?? "")) ? 0 : 1;
}

function addAmounts(
  amounts: AmountMove[],
  { currency, setAsideMicros, charge }: PurchaseAmounts,
  state: PurchaseState,
  by: 1 | -1,
): void {
  const { account } = PURCHASE_ACCOUNTS[state];
  if (account === "settledMicros") {
    if (charge !== null && charge.currency !== null) {
      amounts.push({ account, currency: charge.currency, micros: by * charge.micros });
      amounts.push({ account: "feeMicros", currency: charge.currency, micros: by * charge.feeMicros });
    }
  } else if (account !== null && currency !== null) {
    amounts.push({ account, currency, micros: by * setAsideMicros });
  }
}

/** A page counts in the currency of its money. What was taken back neither bought nor failed. */
function addPages(pages: PageMove[], { currency, charge }: PurchaseAmounts, standing: Standing, by: 1 | -1): void {
  const { state, reason } = standing;
  const account =
    state === "settled" ? "boughtPages" : state === "released" && !isTakenBack(reason ?? "") ? "failedPages" : null;
  const counted = state === "settled" ? (charge?.currency ?? null) : currency;
  if (account !== null && counted !== null) {
    pages.push({ account, currency: counted, by });
  }
}

/** A doubt about nothing is not booked, and what it was charged after all came late. */
function bookingOf({ setAsideMicros }: PurchaseAmounts, from: PurchaseState, to: PurchaseState): BookingKind | null {
  const kind = PURCHASE_BOOKINGS[from]?.[to] ?? null;
  const isOfNothing = setAsideMicros === 0 && DOUBT_BOOKINGS.some((doubt) => doubt === kind);
  if (!isOfNothing) {
    return kind;
  }
  return kind === "doubt_charged" ? "charged_late" : null;
}
