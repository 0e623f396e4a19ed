import { isBehind } from "../../../time/clock-judgement.ts";
import { reopenMonths } from "../money/closed-months.ts";
import type { Asked, Tx } from "../operation.ts";
import { readLatestInstant } from "./latest-instant.ts";

/**
 * Reads: the ends of run, purchase and booking. Writes: clock_word, closed_month. Each call adds a row. A word of a clock that is not behind leaves the order of
 * what was written before as it is; so do bookings that are not later than the word.
 */
export function recordClockWord(tx: Tx, { now, gatewayAt }: Asked<"recordClockWord">): void {
  const latestAt = readLatestInstant(tx);
  const lastBookedAt = tx.value<number>("SELECT at FROM booking ORDER BY seq DESC LIMIT 1") ?? now;
  tx.run(
    `INSERT INTO clock_word (at, latest_at, gateway_at, runs_before, purchases_before, bookings_before)
     SELECT @now, @latestAt, @gatewayAt,
       iif(@behind, (SELECT coalesce(max(id), 0) FROM run), coalesce((SELECT runs_before FROM clock_word ORDER BY id DESC LIMIT 1), 0)),
       iif(@behind, (SELECT coalesce(max(id), 0) FROM purchase), coalesce((SELECT purchases_before FROM clock_word ORDER BY id DESC LIMIT 1), 0)),
       iif(@behind OR @bookedLater, (SELECT coalesce(max(seq), 0) FROM booking), coalesce((SELECT bookings_before FROM clock_word ORDER BY id DESC LIMIT 1), 0))`,
    {
      now,
      latestAt,
      gatewayAt,
      behind: latestAt !== null && isBehind(now, latestAt) ? 1 : 0,
      // At the end of a closed month, which goes on by this word.
      bookedLater: isBehind(now, lastBookedAt) ? 1 : 0,
    },
  );
  reopenMonths(tx, now);
  tx.bookings.discard();
}
