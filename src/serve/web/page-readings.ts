/**
 * Whose turn it is to read a page. Pages cost processor time that a run beside them would have: while one is at work, they begin one after the other, with a
 * pause. The same page that several ask for is read once for all who came before its turn, and never for one who came after: whoever has just done
 * something sees it. Before that, each page waits in the line of its reader (http/reader-lines.ts).
 */
import pLimit from "p-limit";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Snapshots } from "../../ledger/snapshots.ts";
import type { Clock } from "../../time/clock.ts";
import type { ReaderLines } from "../http/reader-lines.ts";

/** Pages that read at once: as many as have a connection of their own (thread/snapshot-ledger.ts). */
const AT_ONCE = 8;
/** While a run is at work, a pause follows each page: so many times what its reading took, within these bounds. */
const PAUSE_FACTOR = 4;
const LEAST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 200;

export interface PageReadings {
  /**
   * @param reader the name of the token by which the page is asked for, null without one
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
  readonly lineOf: ReaderLines;
  /** Whether a run is at work in this process. */
  readonly isBusy: () => boolean;
}

export function createPageReadings({ snapshots, clock, lineOf, isBusy }: ReadingDeps): PageReadings {
  const turns = pLimit(AT_ONCE);
  /** Readings that have left the line of their reader and have not begun, by their key. */
  const waiting = new Map<string, Promise<unknown>>();
  /** Readings that have not left it, by reader and key. */
  const inOwnLine = new Map<string, Promise<unknown>>();
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

  return {
    read<Report>(reader: string | null, key: string, work: Work<Report>): Promise<Report> {
      const ownKey = JSON.stringify([reader, key]);
      const shared = waiting.get(key) ?? inOwnLine.get(ownKey);
      if (shared !== undefined) {
        return shared as Promise<Report>;
      }
      const own = lineOf(reader);
      return share(inOwnLine, ownKey, () =>
        own(() => {
          inOwnLine.delete(ownKey);
          return readShared(key, work);
        }),
      );
    },
    readForAction: (reader, work) => lineOf(reader)(() => snapshots.read(work)),
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
