import { toMicros } from "../../../money/micros.ts";
import type { Ledger } from "../../ledger.ts";
import type { DoubtfulPurchase, LedgerStatus } from "../../ledger-reports.ts";
import type { Connection } from "../engine/connection.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createSelectOpenItems } from "../usage/open-items.ts";
import { type Counters, createSelectCounters } from "./select-counters.ts";
import { createSelectSpend } from "./select-spend.ts";

/** Rows of one kind that a status lists; past it the newest are left out, the totals still count them. */
const MAX_LISTED = 10_000;

type RunLine = LedgerStatus["runs"][number];

/** The newest runs, all money, the outbox, and what a person has to look at. Plans are not listed. */
export function createReadStatus({ db, read }: LedgerCore): Ledger["readStatus"] {
  // Not a join: the tallies of a run are one range of their key.
  const selectRuns = db.prepare<[number], RunLine>(
    `SELECT name AS runId, state, started_at AS startedAt, ended_at AS endedAt,
            (SELECT coalesce(sum(count), 0) FROM tally WHERE run_id = run.id AND kind = 'settled') AS pagesAcquired
     FROM run WHERE kind = 'run' ORDER BY id DESC LIMIT ?`,
  );
  const selectDoubts = createSelectDoubts(db);
  const selectItems = createSelectOpenItems(db);
  const selectCounters = createSelectCounters(db);
  const selectSpend = createSelectSpend(db);
  const countUses = createCountUses(db);
  return ({ runs }) =>
    read(() => {
      const counters = selectCounters();
      return {
        runs: selectRuns.all(runs),
        spend: selectSpend("all"),
        usage: countUses(counters),
        inDoubt: selectDoubts(),
        openItems: selectItems(MAX_LISTED),
        pagesHeld: counters.of("page_held"),
      };
    });
}

function createSelectDoubts(db: Connection): () => DoubtfulPurchase[] {
  const select = db.prepare<[number], Omit<DoubtfulPurchase, "quotedMicros"> & { quotedMicros: number }>(
    `SELECT p.id AS purchaseId, r.name AS runId, g.url, p.quoted_micros AS quotedMicros, p.currency, p.reason,
            coalesce(p.detail, '') AS detail, p.ended_at AS at
     FROM purchase p INDEXED BY purchase_doubts JOIN run r ON r.id = p.run_id JOIN page g ON g.id = p.page_id
     WHERE p.state = 'in_doubt' ORDER BY p.id LIMIT ?`,
  );
  return () => select.all(MAX_LISTED).map((row) => ({ ...row, quotedMicros: toMicros(row.quotedMicros) }));
}

function createCountUses(db: Connection): (counters: Counters) => LedgerStatus["usage"] {
  // As many as the reports that need a person have, and those are few.
  const countToReconcile = db
    .prepare<[], number>(
      `SELECT count(*) FROM usage_batch b CROSS JOIN usage_entry e ON e.batch_id = b.id CROSS JOIN use u ON u.entry_id = e.id
       WHERE b.state IN ('frozen', 'needs_reconcile') AND b.state = 'needs_reconcile'`,
    )
    .pluck();
  return (counters) => {
    const needsReconcile = countToReconcile.get() as number;
    return {
      recorded: counters.uses,
      reported: counters.of("use_settled"),
      pending: counters.of("use_pending") + counters.of("use_batched") - needsReconcile,
      rejected: counters.of("use_rejected"),
      needsReconcile,
    };
  };
}

/** Reads: the first run. Plans are not counted: they leave nothing behind. */
export function createHasRuns({ db, read }: LedgerCore): Ledger["hasRuns"] {
  const select = db.prepare("SELECT 1 FROM run WHERE kind = 'run' ORDER BY id LIMIT 1");
  return () => read(() => select.get() !== undefined);
}
