/**
 * The part of the ledger that a worker on another machine may ask, and by what it is bound: it works under leases that it was given, and reads and
 * changes what belongs to them. What has happened (content that was paid for, an accepted report) is taken whoever has the lease by now.
 */
import type { Ledger } from "./ledger.ts";

/**
 * - `lease`: the lease that it names is the worker's.
 * - `site`: the run and the site that it names are those of a lease of the worker.
 * - `purchase`: the purchase is in a batch that the worker has.
 * - `flusher`: the fence that it names is that of the flusher's lease, which the worker has.
 * - `fact`: nothing binds it, because it has happened.
 */
export type Bond = "lease" | "site" | "purchase" | "flusher" | "fact";

/** Each operation, with its bond and with what it answers when the worker is not bound: what the ledger itself answers to a lease that is over. */
export const WORKER_OPERATIONS = {
  // quote
  openQuoteBatch: { bond: "lease", stale: null },
  findElsewhere: { bond: "site", stale: { otherPart: null, stored: null, walkEnded: false } },
  // acquire
  openAcquireBatch: { bond: "lease", stale: null },
  findReserved: { bond: "site", stale: { otherParts: [], samePart: null } },
  startPurchase: { bond: "lease", stale: false },
  renewIndexingToken: { bond: "lease", stale: false },
  releasePurchase: { bond: "lease", stale: false },
  reserveAnew: { bond: "lease", stale: null },
  holdInDoubt: { bond: "purchase", stale: false },
  settlePurchase: { bond: "fact", stale: null },
  recordMarkdown: { bond: "purchase", stale: false },
  finishAcquireBatch: { bond: "lease", stale: false },
  // both
  renewLease: { bond: "lease", stale: false },
  returnBatch: { bond: "lease", stale: false },
  stopSite: { bond: "site", stale: undefined },
  // report
  countPendingUses: { bond: "fact", stale: null },
  leaseFlusher: { bond: "fact", stale: null },
  renewFlusher: { bond: "flusher", stale: false },
  releaseFlusher: { bond: "flusher", stale: undefined },
  nextReport: { bond: "flusher", stale: null },
  freezeReport: { bond: "flusher", stale: null },
  recordAttempt: { bond: "flusher", stale: false },
  postponeReport: { bond: "flusher", stale: false },
  rejectReport: { bond: "flusher", stale: null },
  settleReport: { bond: "fact", stale: null },
} as const satisfies { readonly [Name in keyof Ledger]?: { readonly bond: Bond; readonly stale: unknown } };

export type WorkerOperation = keyof typeof WORKER_OPERATIONS;

/** The ledger as a worker sees it. The stages quote, acquire and report need no more. */
export type WorkerLedger = Pick<Ledger, WorkerOperation>;
