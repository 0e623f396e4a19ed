/**
 * Whose turn it is to read a page. Pages cost processor time that a run beside them would have: while one is at work, they begin one after the other, with a
 * pause. The same page that several ask for is read once for all who came before its turn, and never for one who came after: whoever has just done
 * something sees it.
 */
import pLimit from "p-limit";
import { LicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Snapshots } from "../../ledger/snapshots.ts";
import type { Clock } from "../../time/clock.ts";

/** Pages that read at once: as many as have a connection of their own (thread/snapshot-ledger.ts). */
const AT_ONCE = 8;
/** Pages that wait for their turn. */
const MAX_WAITING = 64;
/** While a run is at work, a pause follows each page: so many times what its reading took, within these bounds. */
const PAUSE_FACTOR = 4;
const LEAST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 200;

export interface PageReadings {
  /**
   * @param key of the page and what it is asked: work of the same key is the same
   * @throws LicetError SERVICE_BUSY when too many wait, or the work takes too long; LEDGER_*
   */
  read<Report>(key: string, work: (ledger: Ledger) => Promise<Report>): Promise<Report>;
}

interface ReadingDeps {
  readonly snapshots: Pick<Snapshots, "read">;
  readonly clock: Pick<Clock, "now" | "sleep">;
  /** Whether a run is at work in this process. */
  readonly isBusy: () => boolean;
}

export function createPageReadings({ snapshots, clock, isBusy }: ReadingDeps): PageReadings {
  const turns = pLimit(AT_ONCE);
  /** Readings whose turn has not come, by their key. */
  const waiting = new Map<string, Promise<unknown>>();
  /** Ends with the pause behind the last reading beside a run. */
  let line: Promise<void> = Promise.resolve();

  function readInLine<Report>(work: () => Promise<Report>): Promise<Report> {
    let began = 0;
    const reading = line.then(() => {
      began = clock.now();
      return work();
    });
    const rest = () => clock.sleep(pauseAfter(clock.now() - began));
    line = reading.then(rest, rest);
    return reading;
  }

  return {
    read<Report>(key: string, work: (ledger: Ledger) => Promise<Report>): Promise<Report> {
      const shared = waiting.get(key);
      if (shared !== undefined) {
        return shared as Promise<Report>;
      }
      if (turns.pendingCount >= MAX_WAITING) {
        throw new LicetError("SERVICE_BUSY", `${MAX_WAITING} other pages wait to be read`, {
          hint: "Try again in a few seconds.",
        });
      }
      const begin = () => {
        waiting.delete(key);
        return snapshots.read(work);
      };
      const reading = turns(() => (isBusy() ? readInLine(begin) : begin()));
      waiting.set(key, reading);
      return reading;
    },
  };
}

const pauseAfter = (tookMs: number) => Math.min(LONGEST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, PAUSE_FACTOR * tookMs));
