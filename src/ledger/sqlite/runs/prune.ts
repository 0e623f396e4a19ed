import { setImmediate } from "node:timers/promises";
import type { Pruned } from "../../run-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { dropListedPages, REMOVALS_OF_LIST } from "../lists/drop-list.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";
import { pruneSlots } from "../schedules/prune-slots.ts";
import { AGED_HINT, type AgedCounts, pruneAged } from "./prune-aged.ts";

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
export async function prune(core: LedgerCore, { before, dryRun }: Asked<"prune">): Promise<Answered<"prune">> {
  const denials = await pruneDenials(core, before, dryRun);
  const slots = await pruneSlots(core, before, dryRun);
  const aged = await pruneAged(core, before, dryRun);
  return { denials, slots, ...aged, ...(await pruneRuns(core, before, dryRun)) };
}

interface DenialRow {
  readonly pageId: number;
  readonly runRowId: number;
  readonly siteId: number;
  readonly reason: string;
  readonly goes: number;
}

// A page that its run also bought, or tried to, is accounted for by the purchase: its denial is not counted as gone.
const SELECT_CHUNK = `SELECT d.page_id AS pageId, d.run_id AS runRowId, g.site_id AS siteId, d.reason,
    (${IS_OVER}) AND d.at < @before
      AND NOT EXISTS (SELECT 1 FROM purchase p WHERE p.page_id = d.page_id AND p.run_id = d.run_id) AS goes
  FROM denial d CROSS JOIN run r ON r.id = d.run_id CROSS JOIN page g ON g.id = d.page_id
  WHERE (d.page_id, d.run_id) > (@pageId, @runRowId) ORDER BY d.page_id, d.run_id LIMIT @limit`;

async function pruneDenials(core: LedgerCore, before: number, dryRun: boolean): Promise<number> {
  let pruned = 0;
  let from: Pick<DenialRow, "pageId" | "runRowId"> = { pageId: 0, runRowId: 0 };
  for (;;) {
    const rows = await core.read((tx) => readChunk(tx, before, from));
    const going = rows.filter(({ goes }) => goes === 1);
    pruned += dryRun || going.length === 0 ? going.length : await core.write((tx) => removeChunk(tx, going));
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK_ROWS) {
      return pruned;
    }
    from = last;
    // A service answers its requests in between.
    await setImmediate();
  }
}

function readChunk(tx: ReadTx, before: number, from: Pick<DenialRow, "pageId" | "runRowId">) {
  return tx.all<DenialRow>(SELECT_CHUNK, { before, pageId: from.pageId, runRowId: from.runRowId, limit: CHUNK_ROWS });
}

function removeChunk(tx: Tx, rows: readonly DenialRow[]): number {
  let removed = 0;
  for (const { pageId, runRowId, siteId, reason } of rows) {
    // Another `prune` at the same time may have been faster.
    if (tx.changed`DELETE FROM denial WHERE page_id = ${pageId} AND run_id = ${runRowId}`) {
      tx.counters.add({ runRowId, siteId, kind: "pruned", reason }, 1);
      removed += 1;
    }
  }
  return removed;
}

const REMOVALS_OF_RUN = [
  "DELETE FROM tally WHERE run_id = ?",
  "DELETE FROM run_site WHERE run_id = ?",
  "DELETE FROM run_configuration WHERE run_id = ?",
  ...REMOVALS_OF_LIST,
];

const SELECT_OVER_RUNS = `SELECT r.id, ${IS_UNNAMED} AS isUnnamed,
    (SELECT count(*) FROM rejected_entry e WHERE e.run_id = r.id) AS examples
  FROM run r WHERE ${IS_OVER}`;

async function pruneRuns(
  core: LedgerCore,
  before: number,
  dryRun: boolean,
): Promise<Omit<Pruned, "denials" | "slots" | keyof AgedCounts>> {
  const over = await core.read((tx) =>
    tx.all<{ id: number; isUnnamed: number; examples: number }>(SELECT_OVER_RUNS, { before }),
  );
  const denied = await core.read((tx) => findDeniedRuns(tx, dryRun ? before : Number.NEGATIVE_INFINITY));
  const named = await core.read((tx) => findNamedRuns(tx, before));
  const going = over.filter(({ id, isUnnamed }) => isUnnamed === 1 && !denied.has(id) && !named.has(id));
  const examples = over.reduce((total, run) => total + run.examples, 0);
  if (!dryRun && over.length > 0) {
    for (const { id } of going) {
      await dropListedPages(core, id);
    }
    await core.write((tx) => {
      for (const { id } of over) {
        tx.run`DELETE FROM rejected_entry WHERE run_id = ${id}`;
      }
      for (const { id } of going) {
        tx.run`DELETE FROM balance WHERE scope = 'run:' || (SELECT name FROM run WHERE id = ${id})`;
        for (const sql of REMOVALS_OF_RUN) {
          tx.run(sql, id);
        }
        tx.run`DELETE FROM run WHERE id = ${id}`;
      }
      tx.runs.discard();
    });
  }
  return { runs: going.length, examples };
}

/** @returns the runs that still have denials; for a dry run, of those that would have */
function findDeniedRuns(tx: ReadTx, before: number): ReadonlySet<number> {
  return new Set(
    tx.values<number>`SELECT DISTINCT run_id FROM denial WHERE at >= ${Number.isFinite(before) ? before : Number.MIN_SAFE_INTEGER}`,
  );
}

const SELECT_RUNS = `SELECT run_id FROM hint WHERE run_id IS NOT NULL AND NOT (${AGED_HINT})
  UNION SELECT s.run_id FROM slot s WHERE s.run_id IS NOT NULL AND NOT (coalesce(s.ended_at < @before, 0)
    AND EXISTS (SELECT 1 FROM slot n WHERE n.schedule = s.schedule AND n.slot_at > s.slot_at))`;

/** @returns the runs that slots and notifications name which stay: nothing removes a name with its run */
function findNamedRuns(tx: ReadTx, before: number): ReadonlySet<number> {
  return new Set(tx.values<number>(SELECT_RUNS, { before }));
}
