/**
 * A booking is the moment at which licet learned something about money that finance counts: a charge, a doubt, the end of a doubt, the
 * gateway's answer to a report. The ledger numbers bookings in the order in which they were made and never changes one. A statement of a
 * month adds up the bookings of the month, so what is learned later stands in a later month (docs/decisions/0047-months-of-bookings.md).
 */
export const BOOKING_KINDS = [
  "charged",
  "doubt_opened",
  "doubt_charged",
  "doubt_not_charged",
  "charged_late",
  "report_taken",
] as const;

/**
 * `charged`: content came, and its charge with it. `doubt_opened`: a purchase became in doubt. `doubt_charged`: it was charged, by a person's word
 * or by a late answer. `doubt_not_charged`: it was not, by a person's word. `charged_late`: content came for a purchase that counted nothing
 * any more. `report_taken`: the gateway took a usage report, or a person says so.
 */
export type BookingKind = (typeof BOOKING_KINDS)[number];

/** The bookings with which the charge of a purchase is counted. There is one of them for each settled purchase. */
const CHARGE_BOOKINGS: readonly BookingKind[] = ["charged", "doubt_charged", "charged_late"];

export function isCharge(kind: BookingKind): boolean {
  return CHARGE_BOOKINGS.includes(kind);
}

/** The bookings that begin or end a doubt: one of each at most for a purchase. */
export const DOUBT_BOOKINGS = [
  "doubt_opened",
  "doubt_charged",
  "doubt_not_charged",
] as const satisfies readonly BookingKind[];

/** The longest time by which a booking is moved to the one before it: 31 days. A clock that was wrong by more does not count. */
const LONGEST_DELAY_MS = 31 * 24 * 60 * 60 * 1_000;

/** A month whose statement was called complete. */
export interface ClosedMonth {
  readonly startsAt: number;
  /** The first instant after it. */
  readonly endsAt: number;
}

/** What was booked before a new booking. */
export interface BookedSoFar {
  /** The instant of the booking made last, after a person's newest word about the clock; null: there is none. */
  readonly lastAt: number | null;
  readonly closedMonths: readonly ClosedMonth[];
}

/**
 * The instant of a new booking: that of its fact, but never before the booking made last, and never in a month whose statement was called
 * complete. So a month that has ended gets no further booking when one process is slow or its clock is behind.
 */
export function bookAt(factAt: number, { lastAt, closedMonths }: BookedSoFar): number {
  const delayMs = lastAt === null ? 0 : lastAt - factAt;
  const at = lastAt !== null && delayMs >= 1 && delayMs <= LONGEST_DELAY_MS ? lastAt : factAt;
  return endClosed(at, closedMonths);
}

/** Behind all closed months that follow each other. */
function endClosed(at: number, months: readonly ClosedMonth[]): number {
  const month = months.find(({ startsAt, endsAt }) => startsAt <= at && at < endsAt);
  return month === undefined ? at : endClosed(month.endsAt, months);
}
