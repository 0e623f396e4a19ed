/**
 * Snapshots of a ledger, read in a thread of its own by a connection that cannot write: neither a long query nor a large answer stops what buys. One
 * piece of work reads at a time. The others wait for it, but not for long: a transaction that reads keeps the write-ahead log from being moved into
 * the file, so each has a limit, and what is over it is ended with its thread.
 */
import { LicetError } from "../../../errors.ts";
import type { Clock } from "../../../time/clock.ts";
import type { Ledger } from "../../ledger.ts";
import type { Snapshots } from "../../snapshots.ts";
import type { SnapshotLedger } from "./snapshot-ledger.ts";
import { startThread } from "./start-thread.ts";

/** A piece of work may take so long from when its turn comes. */
const LONGEST_MS = 5_000;
/** Pieces of work that may wait for their turn. */
const MAX_WAITING = 64;
/** The thread, with the memory that it takes, ends so long after the last read. */
const IDLE_MS = 60_000;
/** A report is rows of one page. A thread that needs more has a fault, and ends without the service. */
const LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 192 };

interface Reader {
  readonly ledger: SnapshotLedger;
  /** Rejects when the thread ends by itself. */
  readonly broken: Promise<never>;
  /** Ends the thread, whatever it does. */
  stop(): Promise<unknown>;
}

/** @param path of a ledger that is there, with the schema of this licet */
export function createSnapshots(path: string, clock: Pick<Clock, "sleep">): Snapshots {
  let reader: Promise<Reader> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let idle = new AbortController();

  function open(): Promise<Reader> {
    reader ??= openReader(path);
    // The next piece of work tries again.
    reader.catch(() => forget());
    return reader;
  }

  async function forget(): Promise<void> {
    const left = reader;
    reader = null;
    await left?.then(({ stop }) => stop()).catch(() => undefined);
  }

  async function closeWhenIdle(): Promise<void> {
    idle = new AbortController();
    const { signal } = idle;
    await clock.sleep(IDLE_MS, signal);
    if (!signal.aborted) {
      await forget();
    }
  }

  async function readNow<Result>(work: (ledger: Ledger) => Promise<Result>): Promise<Result> {
    idle.abort();
    const { ledger, broken } = await open();
    const ended = new AbortController();
    const limit = refuseAfter(clock, ended.signal);
    const inTime = <Answer>(answer: Promise<Answer>) => Promise.race([answer, broken, limit]);
    try {
      await inTime(ledger.beginSnapshot());
      return await inTime(work(ledger));
    } finally {
      // A thread that does not end its transaction in time is ended with it.
      await inTime(ledger.endSnapshot()).catch(forget);
      ended.abort();
    }
  }

  return {
    async read(work) {
      if (waiting >= MAX_WAITING) {
        throw busy(`${MAX_WAITING} others wait to read the ledger`);
      }
      waiting += 1;
      const turn = last.then(() => readNow(work));
      last = turn.catch(() => undefined);
      try {
        return await turn;
      } finally {
        waiting -= 1;
        if (waiting === 0) {
          void closeWhenIdle();
        }
      }
    },
    async close() {
      idle.abort();
      await forget();
    },
  };
}

async function openReader(path: string): Promise<Reader> {
  const { worker, ledger } = await startThread({ path, access: "snapshots", compress: false }, "licet-reader", LIMITS);
  const broken = new Promise<never>((_resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", () =>
      reject(new LicetError("INTERRUPTED", "the reader of the ledger ended", { details: { path } })),
    );
  });
  // Where nobody reads, nobody has to hear of it.
  broken.catch(() => undefined);
  return { ledger: ledger as SnapshotLedger, broken, stop: () => worker.terminate() };
}

async function refuseAfter(clock: Pick<Clock, "sleep">, ended: AbortSignal): Promise<never> {
  await clock.sleep(LONGEST_MS, ended);
  throw busy(`it takes longer than ${LONGEST_MS} ms to read what was asked for`);
}

function busy(why: string): LicetError {
  return new LicetError("SERVICE_BUSY", why, { hint: "Try again in a few seconds, or ask for less." });
}
