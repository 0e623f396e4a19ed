/**
 * What is counted as rows change, gathered in memory within one transaction and written once per row: the counts of a run (schema/counts.ts), the
 * totals of a site over all runs, and the counts over the whole ledger. Nobody else writes these rows. Who reads them within a write flushes first.
 */
import type { Statements } from "../engine/statements.ts";
import type { COUNTERS, TALLY_KINDS, TOTAL_KINDS } from "../schema/counts.ts";

export type RunCounterKind = (typeof TALLY_KINDS)[number];

/** What can come of a page that a run saw: also added up over all runs of a site (schema/counts.ts). */
const TOTALLED = {
  seen: true,
  unchanged: true,
  excluded: true,
  denied: true,
  settled: true,
  released: true,
  in_doubt: true,
} as const satisfies Record<(typeof TOTAL_KINDS)[number], true>;

export interface RunCounterKey {
  readonly runRowId: number;
  readonly siteId: number;
  readonly kind: RunCounterKind;
  /** @default "" */
  readonly reason?: string;
}

export type LedgerCounterName = (typeof COUNTERS)[number];

export interface Counters {
  /** @param count may be negative: a purchase in doubt that was settled leaves one count for another */
  add(key: RunCounterKey, count: number): void;
  /** The same over the whole ledger. */
  addToLedger(name: LedgerCounterName, count: number): void;
  flush(): void;
  discard(): void;
}

interface Delta {
  readonly key: RunCounterKey;
  count: number;
}

export function createCounters(statements: Statements): Counters {
  const deltas = new Map<string, Delta>();
  const ofLedger = new Map<LedgerCounterName, number>();

  function discard(): void {
    deltas.clear();
    ofLedger.clear();
  }

  return {
    add(key, count) {
      const name = `${key.runRowId} ${key.siteId} ${key.kind} ${key.reason ?? ""}`;
      const delta = deltas.get(name);
      if (delta === undefined) {
        deltas.set(name, { key, count });
      } else {
        delta.count += count;
      }
    },
    addToLedger(name, count) {
      ofLedger.set(name, (ofLedger.get(name) ?? 0) + count);
    },
    flush() {
      for (const { key, count } of deltas.values()) {
        if (count !== 0) {
          writeCount(statements, key, count);
        }
      }
      for (const [name, count] of ofLedger) {
        if (count !== 0) {
          statements.run`UPDATE counter SET count = count + ${count} WHERE name = ${name}`;
        }
      }
      discard();
    },
    discard,
  };
}

// Not an upsert: a CHECK sees the row to be inserted first, and a delta may be negative.
const UPDATE = "UPDATE tally SET count = count + ? WHERE run_id = ? AND site_id = ? AND kind = ? AND reason = ?";
const INSERT = "INSERT INTO tally (count, run_id, site_id, kind, reason) VALUES (?, ?, ?, ?, ?)";

function writeCount(statements: Statements, { runRowId, siteId, kind, reason = "" }: RunCounterKey, count: number) {
  if (statements.run(UPDATE, count, runRowId, siteId, kind, reason).changes === 0) {
    statements.run(INSERT, count, runRowId, siteId, kind, reason);
  }
  // A total only grows: when the count of a run becomes less, what came about before still came about.
  if (count > 0 && kind in TOTALLED) {
    statements.run`INSERT INTO site_total (site_id, kind, reason, count) VALUES (${siteId}, ${kind}, ${reason}, ${count})
      ON CONFLICT (site_id, kind, reason) DO UPDATE SET count = count + excluded.count`;
  }
  if (kind === "approved") {
    // Against maxPages, of the run and of its site.
    statements.run`UPDATE run SET approved = approved + ${count} WHERE id = ${runRowId}`;
    statements.run`UPDATE run_site SET approved = approved + ${count} WHERE run_id = ${runRowId} AND site_id = ${siteId}`;
  }
}
