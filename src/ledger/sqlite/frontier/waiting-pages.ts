/**
 * Giving a run's waiting pages batches to be quoted in, and pages that only passing circumstances denied another decision. The cost
 * is one pass over the run's frontier, however many sites it has. Called within a write.
 */

import type { DenialReason } from "../../../policy/verdict.ts";
import { dropCandidates } from "../candidates/candidate-rows.ts";
import type { ReadTx, Tx } from "../operation.ts";
import { addBatch, addQuoteBatch } from "../runs/batches.ts";
import { PASSING_DENIALS, quoteList } from "../runs/high-water.ts";
import { giveRow } from "./frontier-ranges.ts";
import { FRONTIER_STATE } from "./frontier-state.ts";

/** Budgets, and a largest spend, may be in other currencies by now. */
const DECIDED_ANEW: readonly DenialReason[] = [...PASSING_DENIALS, "no_budget_in_currency"];

/** Pages read at once: a long list can leave any number of them. */
const CHUNK_PAGES = 5_000;

interface OpenSite {
  readonly siteId: number;
  readonly needsWalk: number;
  readonly batchSize: number;
}

const SELECT_DENIED = `SELECT d.page_id AS pageId, p.site_id AS siteId, d.reason FROM frontier f CROSS JOIN denial d ON d.page_id = f.page_id AND d.run_id = f.run_id
    CROSS JOIN page p ON p.id = f.page_id
  WHERE f.run_id = @runRowId AND ${FRONTIER_STATE} = 'decided' AND d.reason IN (${quoteList(DECIDED_ANEW)})
  UNION ALL SELECT d.page_id, p.site_id, d.reason FROM frontier_range r CROSS JOIN denial d ON d.run_id = r.run_id AND d.page_id BETWEEN r.first_page_id AND r.last_page_id
    CROSS JOIN page p ON p.id = d.page_id
  WHERE r.run_id = @runRowId AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.id = r.batch_id) AND d.reason IN (${quoteList(DECIDED_ANEW)})`;

/** Makes the pages of these sites wait again that were denied for what may have passed. */
export function undenyPages(tx: Tx, runRowId: number, siteIds: ReadonlySet<number>): void {
  for (const { pageId, siteId, reason } of tx.all<{ pageId: number; siteId: number; reason: DenialReason }>(
    SELECT_DENIED,
    { runRowId },
  )) {
    if (siteIds.has(siteId)) {
      tx.run`DELETE FROM denial WHERE run_id = ${runRowId} AND page_id = ${pageId}`;
      tx.counters.add({ runRowId, siteId, kind: "denied", reason }, -1);
      giveRow(tx, runRowId, pageId);
      tx.run`UPDATE frontier SET state = 'waiting', batch_id = NULL WHERE run_id = ${runRowId} AND page_id = ${pageId}`;
    }
  }
}

/** Puts what waits in no batch into batches, and goes on with walks, for every site that is not stopped. */
export function requeuePages(tx: Tx, runRowId: number): void {
  // Their quotes are from before: they are quoted again.
  dropCandidates(tx, runRowId, null);
  const sites = new Map(
    tx.all<OpenSite>`SELECT site_id AS siteId, quote_batch_size AS batchSize, walk_ended IS NULL AND NOT EXISTS
      (SELECT 1 FROM batch b WHERE b.run_id = run_site.run_id AND b.site_id = run_site.site_id AND b.stage = 'walk') AS needsWalk
      FROM run_site WHERE run_id = ${runRowId} AND stop IS NULL ORDER BY position`.map((site) => [
      site.siteId,
      { site, pageIds: [] as number[] },
    ]),
  );
  for (const { siteId, pageId } of readWaiting(tx, runRowId)) {
    const open = sites.get(siteId);
    if (open !== undefined && open.pageIds.push(pageId) >= open.site.batchSize) {
      quoteInBatches(tx, runRowId, open.site, open.pageIds.splice(0));
    }
  }
  for (const { site, pageIds } of sites.values()) {
    if (site.needsWalk === 1) {
      addBatch(tx, { runRowId, siteId: site.siteId, stage: "walk", size: 0 });
    }
    quoteInBatches(tx, runRowId, site, pageIds);
  }
}

function quoteInBatches(tx: Tx, runRowId: number, { siteId, batchSize }: OpenSite, pageIds: readonly number[]): void {
  for (let start = 0; start < pageIds.length; start += batchSize) {
    const chunk = pageIds.slice(start, start + batchSize);
    const batchId = addQuoteBatch(tx, { runRowId, siteId }, chunk);
    for (const pageId of chunk) {
      tx.run`UPDATE frontier SET batch_id = ${batchId} WHERE run_id = ${runRowId} AND page_id = ${pageId}`;
    }
  }
}

interface WaitingRow {
  readonly position: number;
  readonly pageId: number;
  readonly siteId: number;
}

const SELECT_MET = `SELECT f.page_id AS position, f.page_id AS pageId, p.site_id AS siteId FROM frontier f CROSS JOIN page p ON p.id = f.page_id
  WHERE f.run_id = ? AND f.page_id > ? AND f.state = 'waiting' AND f.batch_id IS NULL ORDER BY f.page_id LIMIT ?`;

const SELECT_LISTED = `SELECT l.line AS position, l.page_id AS pageId, p.site_id AS siteId FROM listed_page l INDEXED BY listed_page_line
    CROSS JOIN frontier f ON f.run_id = l.run_id AND f.page_id = l.page_id CROSS JOIN page p ON p.id = l.page_id
  WHERE l.run_id = ? AND l.line > ? AND f.state = 'waiting' AND f.batch_id IS NULL ORDER BY l.line LIMIT ?`;

/** The pages that wait in no batch: those of a list in its order, others in the order in which they were first seen. */
function* readWaiting(tx: ReadTx, runRowId: number): Iterable<WaitingRow> {
  const select = tx.has`SELECT 1 FROM run_list WHERE run_id = ${runRowId}` ? SELECT_LISTED : SELECT_MET;
  for (let behind = 0; ; ) {
    const rows = tx.all<WaitingRow>(select, runRowId, behind, CHUNK_PAGES);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK_PAGES) {
      return;
    }
    behind = last.position;
  }
}
