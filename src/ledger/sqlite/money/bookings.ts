/** Bookings, for finance (statement/booking.ts). Written at once, in order; what decides the instant of the next one is read once a transaction. */
import { assertBug } from "../../../errors.ts";
import { type BookedSoFar, type BookingKind, bookAt, type ClosedMonth } from "../../../statement/booking.ts";
import type { Statements } from "../engine/statements.ts";

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

export function createBookings(statements: Statements): Bookings {
  let soFar: BookedSoFar | null = null;
  return {
    add({ kind, of, at: factAt }) {
      const isOfReport = "reportId" in of;
      assertBug(isOfReport === (kind === "report_taken"), `${kind} is not a booking of ${JSON.stringify(of)}`);
      const { closedMonths, lastAt } = soFar ?? {
        lastAt: statements.value<number>(SELECT_LAST) ?? null,
        closedMonths: statements.all<ClosedMonth>(SELECT_CLOSED),
      };
      const at = bookAt(factAt, { lastAt, closedMonths });
      statements.run(INSERT, at, kind, isOfReport ? null : of.purchaseId, isOfReport ? of.reportId : null);
      soFar = { lastAt: at, closedMonths };
    },
    discard() {
      soFar = null;
    },
  };
}
