import { type ClockWord, isBehind } from "../../../time/clock-judgement.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createLatest } from "./latest-instant.ts";

/** Reads: clock_word by the end of its row ids. */
export function createReadClockWord({ db }: LedgerCore): Ledger["readClockWord"] {
  const select = db.prepare<[], ClockWord>(
    "SELECT at, gateway_at AS gatewayAt FROM clock_word ORDER BY id DESC LIMIT 1",
  );
  return async () => select.get() ?? null;
}

/**
 * Reads: the ends of run, purchase and booking. Writes: clock_word. Each call adds a row. A word of a clock that is not behind leaves the order of
 * what was written before as it is.
 */
export function createRecordClockWord(core: LedgerCore): Ledger["recordClockWord"] {
  const { db, write } = core;
  const readLatest = createLatest(core);
  const insert = db.prepare<{ now: number; latestAt: number | null; gatewayAt: number | null; behind: number }>(
    `INSERT INTO clock_word (at, latest_at, gateway_at, runs_before, purchases_before, bookings_before)
     SELECT @now, @latestAt, @gatewayAt,
       iif(@behind, (SELECT coalesce(max(id), 0) FROM run), coalesce((SELECT runs_before FROM clock_word ORDER BY id DESC LIMIT 1), 0)),
       iif(@behind, (SELECT coalesce(max(id), 0) FROM purchase), coalesce((SELECT purchases_before FROM clock_word ORDER BY id DESC LIMIT 1), 0)),
       iif(@behind, (SELECT coalesce(max(seq), 0) FROM booking), coalesce((SELECT bookings_before FROM clock_word ORDER BY id DESC LIMIT 1), 0))`,
  );
  return ({ now, gatewayAt }) =>
    write(() => {
      const latestAt = readLatest();
      insert.run({ now, latestAt, gatewayAt, behind: latestAt !== null && isBehind(now, latestAt) ? 1 : 0 });
    });
}
