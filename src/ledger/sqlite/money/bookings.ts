/** Bookings, for finance (statement/booking.ts). Written at once, in order; what decides the instant of the next one is read once a transaction. */
import { assertBug } from "../../../errors.ts";
import { type BookedSoFar, type BookingKind, bookAt, type ClosedMonth } from "../../../statement/booking.ts";
import type { Statements } from "../engine/statements.ts";
import { keepSums } from "./booking-sums.ts";

export interface NewBooking {
  readonly kind: BookingKind;
  /** The row that moved: a report for `report_taken`, a purchase for any other kind. */
  readonly of: { readonly purchaseId: number } | { readonly reportId: number };
  /** The instant of the fact. */
  readonly at: number;
}

export interface Bookings {
  add(booking: NewBooking): void;
  /** Another process, a word about the clock, or a month that is closed may change what was read. */
  discard(): void;
}

/** After a person's newest word about the clock. */
const SELECT_LAST = `SELECT at FROM booking
  WHERE seq > coalesce((SELECT bookings_before FROM clock_word ORDER BY id DESC LIMIT 1), 0) ORDER BY seq DESC LIMIT 1`;

const INSERT = "INSERT INTO booking (at, kind, purchase_id, usage_batch_id) VALUES (?, ?, ?, ?)";

const SELECT_CLOSED = "SELECT starts_at AS startsAt, ends_at AS endsAt FROM closed_month WHERE reopened_after IS NULL";

/** So many purchases and uses that were booked are added up at once (booking-sums.ts): what a statement reads behind the kept sums is some more. */
export const SUM_EVERY = 1_000;

export function createBookings(statements: Statements, sumEvery: number = SUM_EVERY): Bookings {
  let soFar: BookedSoFar | null = null;
  /** Since somebody looked whether there is enough to add up. Others may have booked before this process did. */
  let sinceLook = sumEvery;

  function readSoFar(): BookedSoFar {
    if (sinceLook >= sumEvery) {
      sinceLook = keepSums(statements, sumEvery) ? sumEvery : 0;
    }
    return {
      lastAt: statements.value<number>(SELECT_LAST) ?? null,
      closedMonths: statements.all<ClosedMonth>(SELECT_CLOSED),
    };
  }

  return {
    add({ kind, of, at: factAt }) {
      const isOfReport = "reportId" in of;
      assertBug(isOfReport === (kind === "report_taken"), `${kind} is not a booking of ${JSON.stringify(of)}`);
      const { closedMonths, lastAt } = soFar ?? readSoFar();
      const at = bookAt(factAt, { lastAt, closedMonths });
      statements.run(INSERT, at, kind, isOfReport ? null : of.purchaseId, isOfReport ? of.reportId : null);
      soFar = { lastAt: at, closedMonths };
      // A report has any number of uses.
      sinceLook += isOfReport ? sumEvery : 1;
    },
    discard() {
      soFar = null;
    },
  };
}
