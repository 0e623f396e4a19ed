/**
 * Snapshots of a ledger, read in a thread of their own by connections that cannot write: neither a long query nor a large answer stops what buys. A
 * transaction that reads keeps the write-ahead log from being moved into the file, so each piece of work has a limit.
 */
import pLimit from "p-limit";
import { LicetError } from "../../../errors.ts";
import type { Clock } from "../../../time/clock.ts";
import type { Ledger } from "../../ledger.ts";
import type { Snapshots } from "../../snapshots.ts";
import { PLACES, type SnapshotLedger, toPlaces } from "./snapshot-ledger.ts";

/** A piece of work may take so long from when its turn comes. */
const LONGEST_MS = 5_000;
/** A thread that does not end a transaction in this time is in a statement, and is ended with it. */
const END_MS = 1_000;
/** Pieces of work that read or wait for their turn. */
const MAX_WAITING = 64;
/** The thread, with the memory that it takes, ends so long after the last read. */
const IDLE_MS = 60_000;
/** A report is rows of one page. A thread that needs more has a fault, and ends without the service. */
const LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 192 };

interface Reader {
  readonly places: readonly SnapshotLedger[];
  /** Rejects when the thread has ended. */
  readonly broken: Promise<never>;
  /** Ends the thread, whatever it does. */
  stop(): Promise<unknown>;
}

/** @param path of a ledger that is there, with the schema of this licet */
export function createSnapshots(path: string, clock: Pick<Clock, "sleep">): Snapshots {
  const turns = pLimit(PLACES);
  const free = Array.from({ length: PLACES }, (_, place) => place);
  let reader: Promise<Reader> | null = null;
  let idle = new AbortController();

  function open(): Promise<Reader> {
    if (reader === null) {
      const opened = openReader(path);
      reader = opened;
      // The next piece of work tries again.
      opened.catch(() => forget(opened));
    }
    return reader;
  }

  async function forget(left: Promise<Reader> | null): Promise<void> {
    if (reader === left) {
      reader = null;
    }
    await left?.then(({ stop }) => stop()).catch(() => undefined);
  }

  async function closeWhenIdle(): Promise<void> {
    idle = new AbortController();
    const { signal } = idle;
    await clock.sleep(IDLE_MS, signal);
    if (!signal.aborted) {
      await forget(reader);
    }
  }

  async function readAt<Result>(place: number, work: (ledger: Ledger) => Promise<Result>): Promise<Result> {
    idle.abort();
    const opened = open();
    const { places, broken } = await opened;
    const ledger = places[place] as SnapshotLedger;
    const inTime = <Answer>(answer: Promise<Answer>, ms: number) =>
      withLimit(Promise.race([answer, broken]), ms, clock);
    try {
      return await inTime(
        ledger.beginSnapshot().then(() => work(ledger)),
        LONGEST_MS,
      );
    } finally {
      await inTime(ledger.endSnapshot(), END_MS).catch(() => forget(opened));
    }
  }

  return {
    async read(work) {
      if (turns.activeCount + turns.pendingCount >= MAX_WAITING) {
        throw busy(`${MAX_WAITING} others read the ledger, or wait for their turn`);
      }
      try {
        return await turns(async () => {
          const place = free.pop() as number;
          try {
            return await readAt(place, work);
          } finally {
            free.push(place);
          }
        });
      } finally {
        if (turns.activeCount + turns.pendingCount === 0) {
          void closeWhenIdle();
        }
      }
    },
    async close() {
      idle.abort();
      await forget(reader);
    },
  };
}

async function openReader(path: string): Promise<Reader> {
  const { startThread } = await import("./start-thread.ts");
  const { worker, ended, ledger } = await startThread(
    { path, access: "snapshots", compress: false },
    "licet-reader",
    LIMITS,
  );
  const broken = new Promise<never>((_resolve, reject) => {
    worker.once("error", reject);
    void ended.then(() => reject(busy("the thread that reads the ledger ended")));
  });
  // Where nobody reads, nobody has to hear of it.
  broken.catch(() => undefined);
  return { places: toPlaces(ledger), broken, stop: () => worker.terminate() };
}

async function withLimit<Answer>(answer: Promise<Answer>, ms: number, clock: Pick<Clock, "sleep">): Promise<Answer> {
  const ended = new AbortController();
  const limit = clock.sleep(ms, ended.signal).then(() => Promise.reject(busy(`it takes longer than ${ms} ms to read`)));
  try {
    return await Promise.race([answer, limit]);
  } finally {
    ended.abort();
  }
}

function busy(why: string): LicetError {
  return new LicetError("SERVICE_BUSY", why, { hint: "Try again in a few seconds, or ask for less." });
}
