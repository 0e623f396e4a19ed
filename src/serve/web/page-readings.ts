/**
 * Whose turn it is to read a page. Pages cost processor time that a run beside them would have: while one is at work, they begin one after the other, with a
 * pause. The same page that several ask for is read once for all who came before its turn, and never for one who came after: whoever has just done
 * something sees it. Each reader has a line of his own, so whoever asks for much waits for himself.
 */
import pLimit, { type LimitFunction } from "p-limit";
import { LicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Snapshots } from "../../ledger/snapshots.ts";
import type { Clock } from "../../time/clock.ts";

/** Pages that read at once: as many as have a connection of their own (thread/snapshot-ledger.ts). */
const AT_ONCE = 8;
/** Of one reader: half of the places are left to others, and those who wait for one wait behind so few of his. */
const OF_READER_AT_ONCE = 4;
/** Pages of one reader that wait for their turn. */
const MAX_WAITING = 64;
/** While a run is at work, a pause follows each page: so many times what its reading took, within these bounds. */
const PAUSE_FACTOR = 4;
const LEAST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 200;

export interface PageReadings {
  /**
   * @param reader the name of the token by which the page is asked for, null without one: there are never more readers than tokens
   * @param key of the page and what it is asked: work of the same key is the same
   * @throws LicetError SERVICE_BUSY when too many pages of the reader wait, or the work takes too long; LEDGER_*
   */
  read<Report>(reader: string | null, key: string, work: Work<Report>): Promise<Report>;
  /** As above, for who acts: it waits for other pages of its reader alone, and is shared with nobody. */
  readForAction<Report>(reader: string | null, work: Work<Report>): Promise<Report>;
}

type Work<Report> = (ledger: Ledger) => Promise<Report>;

interface ReadingDeps {
  readonly snapshots: Pick<Snapshots, "read">;
  readonly clock: Pick<Clock, "now" | "sleep">;
  /** Whether a run is at work in this process. */
  readonly isBusy: () => boolean;
}

/** What one reader waits for. */
interface ReaderLine {
  readonly turns: LimitFunction;
  /** Readings that have not left the line, by their key. */
  readonly waiting: Map<string, Promise<unknown>>;
}

export function createPageReadings({ snapshots, clock, isBusy }: ReadingDeps): PageReadings {
  const turns = pLimit(AT_ONCE);
  /** Readings that have left the line of their reader and have not begun, by their key. */
  const waiting = new Map<string, Promise<unknown>>();
  const readers = new Map<string | null, ReaderLine>();
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

  function readShared<Report>(key: string, work: Work<Report>): Promise<Report> {
    const begin = () => {
      waiting.delete(key);
      return snapshots.read(work);
    };
    return share(waiting, key, () => turns(() => (isBusy() ? readInLine(begin) : begin())));
  }

  /** @throws LicetError SERVICE_BUSY */
  function lineOf(reader: string | null): ReaderLine {
    const found = readers.get(reader) ?? { turns: pLimit(OF_READER_AT_ONCE), waiting: new Map() };
    if (found.turns.pendingCount >= MAX_WAITING) {
      throw new LicetError("SERVICE_BUSY", `${MAX_WAITING} other pages of the same reader wait to be read`, {
        hint: "Try again in a few seconds.",
      });
    }
    readers.set(reader, found);
    return found;
  }

  return {
    read<Report>(reader: string | null, key: string, work: Work<Report>): Promise<Report> {
      const shared = waiting.get(key) ?? readers.get(reader)?.waiting.get(key);
      if (shared !== undefined) {
        return shared as Promise<Report>;
      }
      const own = lineOf(reader);
      return share(own.waiting, key, () =>
        own.turns(() => {
          own.waiting.delete(key);
          return readShared(key, work);
        }),
      );
    },
    readForAction: (reader, work) => lineOf(reader).turns(() => snapshots.read(work)),
  };
}

/** Whoever begins the work takes it out of `waiting` then. */
function share<Report>(
  waiting: Map<string, Promise<unknown>>,
  key: string,
  begin: () => Promise<Report>,
): Promise<Report> {
  const known = waiting.get(key) as Promise<Report> | undefined;
  if (known !== undefined) {
    return known;
  }
  const reading = begin();
  waiting.set(key, reading);
  return reading;
}

const pauseAfter = (tookMs: number) => Math.min(LONGEST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, PAUSE_FACTOR * tookMs));
