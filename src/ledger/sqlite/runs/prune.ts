import { setImmediate } from "node:timers/promises";
import type { Ledger } from "../../ledger.ts";
import type { Pruned } from "../../run-ledger.ts";
import type { Connection } from "../engine/connection.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createSlotPruning } from "../schedules/prune-slots.ts";
import { AGED_HINT, type AgedCounts, createAgedPruning } from "./prune-aged.ts";

/** Denials looked at in one transaction: the settlements of a run beside it must not wait long. */
const CHUNK_ROWS = 5_000;

/**
 * Over, and its working state is gone. One that a limit ended can still be resumed: where denials were pruned, its sites are walked
 * again (frontier-rebuild.ts).
 */
const IS_OVER = `r.kind <> 'planning' AND r.frontier_dropped = 1 AND r.ended_at < @before
  AND (r.state NOT IN ('running', 'interrupted', 'failed') OR (r.state <> 'running' AND r.taken_over_by IS NOT NULL))`;

/**
 * Nothing of money, content or evidence names it. Its purchases are counted in the run itself: there is no index of them by run, and the
 * audit holds the two together. The newest run stays: a ledger that had runs is never taken for a new one.
 */
const IS_UNNAMED = `r.approved = 0
  AND NOT EXISTS (SELECT 1 FROM tally t WHERE t.run_id = r.id AND t.kind IN ('approved', 'use_recorded') AND t.count > 0)
  AND NOT EXISTS (SELECT 1 FROM balance b WHERE b.scope = 'run:' || r.name AND (b.reserved_micros, b.in_doubt_micros, b.settled_micros) <> (0, 0, 0))
  AND NOT EXISTS (SELECT 1 FROM run l WHERE l.taken_over_by = r.id)
  AND NOT EXISTS (SELECT 1 FROM run_list n WHERE n.goes_on_from = r.id)
  AND r.id < (SELECT max(id) FROM run WHERE kind <> 'planning')`;

/**
 * Reads: run, denial by its key. Writes: denial, tally (`pruned`), slot, hint, alert, rejected_entry, and runs with their rows, in chunks. Idempotent: a
 * second call finds nothing. Facts stay: purchases, contents, uses, receipts, resolutions, and each run that one of them names.
 */
export function createPrune(core: LedgerCore): Ledger["prune"] {
  const pruneDenials = createDenialPruning(core);
  const pruneSlots = createSlotPruning(core);
  const pruneAged = createAgedPruning(core);
  const pruneRuns = createRunPruning(core);
  return async ({ before, dryRun }) => {
    const denials = await pruneDenials(before, dryRun);
    const slots = await pruneSlots(before, dryRun);
    const aged = await pruneAged(before, dryRun);
    return { denials, slots, ...aged, ...(await pruneRuns(before, dryRun)) };
  };
}

interface DenialRow {
  readonly pageId: number;
  readonly runRowId: number;
  readonly siteId: number;
  readonly reason: string;
  readonly goes: number;
}

function createDenialPruning(core: LedgerCore): (before: number, dryRun: boolean) => Promise<number> {
  // A page that its run also bought, or tried to, is accounted for by the purchase: its denial is not counted as gone.
  const select = core.db.prepare<{ before: number; pageId: number; runRowId: number; limit: number }, DenialRow>(
    `SELECT d.page_id AS pageId, d.run_id AS runRowId, g.site_id AS siteId, d.reason,
       (${IS_OVER}) AND d.at < @before
         AND NOT EXISTS (SELECT 1 FROM purchase p WHERE p.page_id = d.page_id AND p.run_id = d.run_id) AS goes
     FROM denial d CROSS JOIN run r ON r.id = d.run_id CROSS JOIN page g ON g.id = d.page_id
     WHERE (d.page_id, d.run_id) > (@pageId, @runRowId) ORDER BY d.page_id, d.run_id LIMIT @limit`,
  );
  const remove = core.db.prepare<[number, number]>("DELETE FROM denial WHERE page_id = ? AND run_id = ?");

  const readChunk = (before: number, from: Pick<DenialRow, "pageId" | "runRowId">) =>
    select.all({ before, pageId: from.pageId, runRowId: from.runRowId, limit: CHUNK_ROWS });
  const removeChunk = (rows: readonly DenialRow[]): number => {
    let removed = 0;
    for (const { pageId, runRowId, siteId, reason } of rows) {
      // Another `prune` at the same time may have been faster.
      if (remove.run(pageId, runRowId).changes === 1) {
        core.counters.add({ runRowId, siteId, kind: "pruned", reason }, 1);
        removed += 1;
      }
    }
    return removed;
  };

  return async (before, dryRun) => {
    let pruned = 0;
    let from: Pick<DenialRow, "pageId" | "runRowId"> = { pageId: 0, runRowId: 0 };
    for (;;) {
      const rows = await core.read(() => readChunk(before, from));
      const going = rows.filter(({ goes }) => goes === 1);
      pruned += dryRun || going.length === 0 ? going.length : await core.write(() => removeChunk(going));
      const last = rows.at(-1);
      if (last === undefined || rows.length < CHUNK_ROWS) {
        return pruned;
      }
      from = last;
      // A service answers its requests in between.
      await setImmediate();
    }
  };
}

function createRunPruning(
  core: LedgerCore,
): (before: number, dryRun: boolean) => Promise<Omit<Pruned, "denials" | "slots" | keyof AgedCounts>> {
  const select = core.db.prepare<{ before: number }, { id: number; isUnnamed: number; examples: number }>(
    `SELECT r.id, ${IS_UNNAMED} AS isUnnamed,
       (SELECT count(*) FROM rejected_entry e WHERE e.run_id = r.id) AS examples
     FROM run r WHERE ${IS_OVER}`,
  );
  // A denial that is younger than its run's end stays, and so does its run.
  const selectDenied = createDeniedRuns(core.db);
  const selectNamed = createNamedRuns(core.db);
  const removeExamples = core.db.prepare<[number]>("DELETE FROM rejected_entry WHERE run_id = ?");
  const removeBalances = core.db.prepare<[number]>(
    "DELETE FROM balance WHERE scope = 'run:' || (SELECT name FROM run WHERE id = ?)",
  );
  // In the order in which they refer to each other.
  const removeRun = ["tally", "run_site", "rejected_line", "rejected_line_total", "run_list"].map((table) =>
    core.db.prepare<[number]>(`DELETE FROM ${table} WHERE run_id = ?`),
  );
  const removeRow = core.db.prepare<[number]>("DELETE FROM run WHERE id = ?");
  const removeListed = createListedPruning(core);

  return async (before, dryRun) => {
    const over = await core.read(() => select.all({ before }));
    const denied = await core.read(() => selectDenied(dryRun ? before : Number.NEGATIVE_INFINITY));
    const named = await core.read(() => selectNamed(before));
    const going = over.filter(({ id, isUnnamed }) => isUnnamed === 1 && !denied.has(id) && !named.has(id));
    const examples = over.reduce((total, run) => total + run.examples, 0);
    if (!dryRun && over.length > 0) {
      for (const { id } of going) {
        await removeListed(id);
      }
      await core.write(() => {
        for (const { id } of over) {
          removeExamples.run(id);
        }
        for (const { id } of going) {
          removeBalances.run(id);
          for (const statement of removeRun) {
            statement.run(id);
          }
          removeRow.run(id);
        }
        core.runs.discard();
      });
    }
    return { runs: going.length, examples };
  };
}

/** The pages of a list, which may be long, in chunks. */
function createListedPruning(core: LedgerCore): (runRowId: number) => Promise<void> {
  const remove = core.db.prepare<[number, number, number]>(
    "DELETE FROM listed_page WHERE run_id = ? AND page_id IN (SELECT page_id FROM listed_page WHERE run_id = ? LIMIT ?)",
  );
  return async (runRowId) => {
    for (let removed = CHUNK_ROWS; removed === CHUNK_ROWS; ) {
      removed = await core.write(() => remove.run(runRowId, runRowId, CHUNK_ROWS).changes);
    }
  };
}

/** @returns a reader of the runs that still have denials; for a dry run, of those that would have */
function createDeniedRuns(db: Connection): (before: number) => ReadonlySet<number> {
  const select = db.prepare<[number], number>("SELECT DISTINCT run_id FROM denial WHERE at >= ?").pluck();
  return (before) => new Set(select.all(Number.isFinite(before) ? before : Number.MIN_SAFE_INTEGER));
}

/** @returns a reader of the runs that slots and notifications name which stay: nothing removes a name with its run */
function createNamedRuns(db: Connection): (before: number) => ReadonlySet<number> {
  const select = db
    .prepare<{ before: number }, number>(
      `SELECT run_id FROM hint WHERE run_id IS NOT NULL AND NOT (${AGED_HINT})
       UNION SELECT s.run_id FROM slot s WHERE s.run_id IS NOT NULL AND NOT (coalesce(s.ended_at < @before, 0)
         AND EXISTS (SELECT 1 FROM slot n WHERE n.schedule = s.schedule AND n.slot_at > s.slot_at))`,
    )
    .pluck();
  return (before) => new Set(select.all({ before }));
}
