import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

interface NewestRow {
  readonly wordAt: number | null;
  readonly runAt: number | null;
  readonly purchaseAt: number | null;
}

/** SQL: the instants of the newest rows, after the newest word about the clock. One row. */
const NEWEST = `WITH word AS (SELECT at, runs_before, purchases_before FROM clock_word ORDER BY id DESC LIMIT 1),
  newest AS (SELECT id, purchases_after, max(started_at, coalesce(resumed_at, 0), coalesce(ended_at, 0)) AS at
    FROM run WHERE kind <> 'planning' ORDER BY run.id DESC LIMIT 1)
  SELECT (SELECT at FROM word) AS wordAt,
    (SELECT at FROM newest WHERE id > coalesce((SELECT runs_before FROM word), 0)) AS runAt,
    (SELECT max(p.reserved_at, coalesce(p.ended_at, 0)) FROM purchase p
     WHERE p.id > max(coalesce((SELECT purchases_after FROM newest), 0), coalesce((SELECT purchases_before FROM word), 0))
     ORDER BY p.id DESC LIMIT 1) AS purchaseAt`;

/**
 * Reads: run, purchase, clock_word, each by the end of its row ids. The newest rows, and not the greatest instants: after a person has accepted
 * a clock that is behind (clock-words.ts), only rows after that word count. For the same reason, purchases count only when they were made
 * after the newest run had begun.
 */
export function createReadLatestInstant(core: LedgerCore): Ledger["readLatestInstant"] {
  const readLatest = createLatest(core);
  return async () => readLatest();
}

export function createLatest({ db }: Pick<LedgerCore, "db">): () => number | null {
  const select = db.prepare<[], NewestRow>(NEWEST);
  return () => {
    const { wordAt, runAt, purchaseAt } = select.get() as NewestRow;
    const known = [wordAt, runAt, purchaseAt].filter((at) => at !== null);
    return known.length === 0 ? null : Math.max(...known);
  };
}
