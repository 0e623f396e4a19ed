import type { ClockEvidence } from "../time/clock-judgement.ts";

/** What the rows say about the clock, and what persons say about it. */
export interface ClockLedger {
  /**
   * The latest instant of the newest run and of the newest purchase since it began, epoch ms. Null when there is no run. It shows that the
   * clock was set back, and reads only two rows.
   */
  readLatestInstant(): Promise<number | null>;
  /**
   * What the ledger knows of the time without the gateway: the newest word of a person, and in `latestAt` when a page was bought last whose answer
   * told the gateway's time, or that word, if it is later. Where there is no such page, it is the latest instant: rows that a wrong clock wrote agree
   * with it.
   */
  readClockEvidence(): Promise<Pick<ClockEvidence, "latestAt" | "word">>;
  /**
   * Records a person's word that the clock is right (`--trust-clock`). Where the clock is behind the newest rows, those rows are of a wrong
   * clock: from now on instants are compared with later rows alone, and bookings are made in the order of the accepted clock. Each call
   * adds a row.
   */
  recordClockWord(word: { readonly now: number; readonly gatewayAt: number | null }): Promise<void>;
  /**
   * Closes a month, because its statement is called complete: a booking whose instant lies in it gets the instant of its end. A word about
   * the clock opens it again where it has not ended by that clock.
   * @param month `[from, to)`, epoch ms
   * @returns false when it was closed before
   */
  closeMonth(month: { readonly from: number; readonly to: number }): Promise<boolean>;
}
