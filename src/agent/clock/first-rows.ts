/**
 * The newest rows as evidence about the clock, where the gateway's `Date` is not known: no later than what a process found when it first
 * asked, and the time since then by a clock that nobody sets. Rows that a wrong clock wrote in the meantime, here or in another process of
 * the machine, agree with that clock and prove nothing.
 */
import type { Ledger } from "../../ledger/ledger.ts";
import { type Clock, elapsedMs } from "../../time/clock.ts";
import type { ClockEvidence, ClockWord } from "../../time/clock-judgement.ts";

export interface FirstRows {
  /** The first call, and the first after a person's word, notes what it finds: call it before the gateway is asked, too. */
  read(clock: Clock, ledger: Ledger): Promise<Pick<ClockEvidence, "latestAt" | "word">>;
}

interface Found {
  /** The newest rows, or, in a ledger without rows, what the clock said. */
  readonly at: number;
  readonly elapsed: number;
  readonly word: ClockWord | null;
}

export function createFirstRows(): FirstRows {
  let first: Found | null = null;
  return {
    read: async (clock, ledger) => {
      const [latestAt, word] = await Promise.all([ledger.readLatestInstant(), ledger.readClockWord()]);
      const elapsed = elapsedMs(clock);
      if (first === null || first.word?.at !== word?.at) {
        first = { at: latestAt ?? clock.now(), elapsed, word };
      }
      const latest = latestAt === null ? null : Math.min(latestAt, first.at + elapsed - first.elapsed);
      return { latestAt: latest, word };
    },
  };
}
