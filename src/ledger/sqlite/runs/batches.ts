/** The rows of work to do (schema/work.ts). Called within a write, but for `find`. */

import { BATCH_STAGES, type BatchStage, type OpenedBatch } from "../../lease-ledger.ts";
import { giveRows } from "../frontier/frontier-ranges.ts";
import type { ReadTx, Tx } from "../operation.ts";

export interface LeasedBatch {
  readonly id: number;
  readonly runRowId: number;
  readonly siteId: number;
  readonly stage: BatchStage;
  readonly size: number;
  /** Which leasing of the batch this is, from 1. */
  readonly attempt: number;
  readonly leasedUntil: number;
}

/** Which leasing of which batch: an old one never fits a newer leasing, or another batch. */
export function toLeaseId(batchId: number, attempt: number): string {
  return `${batchId}.${attempt}`;
}

/** null for what was never a lease id. */
export function parseLeaseId(leaseId: string): { readonly batchId: number; readonly attempt: number } | null {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(leaseId);
  return match === null ? null : { batchId: Number(match[1]), attempt: Number(match[2]) };
}

/** SQL: of all stages. The batches of a site are found by it, because the index has the stage before the site. */
export const ANY_STAGE = `b.stage IN (${BATCH_STAGES.map((stage) => `'${stage}'`).join(", ")})`;

const SELECT =
  "SELECT id, run_id AS runRowId, site_id AS siteId, stage, size, fence AS attempt, ready_at AS leasedUntil FROM batch WHERE id = ? AND fence = ? AND state = 'leased' AND stage = ?";

const ADD_WAITING = "UPDATE run_site SET waiting_pages = waiting_pages + ? WHERE run_id = ? AND site_id = ?";

const RECOUNT_WAITING = `UPDATE run_site SET waiting_pages =
    (SELECT coalesce(sum(b.size), 0) FROM batch b WHERE b.run_id = run_site.run_id AND b.site_id = run_site.site_id AND ${ANY_STAGE})
  WHERE run_id = @runRowId AND (@siteId IS NULL OR site_id = @siteId)`;

/** After batches were removed by their stage. @param siteId null: of every site of the run */
export function recountWaiting(tx: Tx, runRowId: number, siteId: number | null): void {
  tx.run(RECOUNT_WAITING, { runRowId, siteId });
}

/** The batch that a lease holds; null when the lease is stale or of another stage. */
export function findBatch(tx: ReadTx, leaseId: string, stage: BatchStage): LeasedBatch | null {
  const lease = parseLeaseId(leaseId);
  return lease === null ? null : (tx.get<LeasedBatch>(SELECT, lease.batchId, lease.attempt, stage) ?? null);
}

/** What it says of itself to whoever opens it. */
export function describeBatch(tx: ReadTx, { runRowId, siteId, attempt, leasedUntil }: LeasedBatch): OpenedBatch {
  return { runId: tx.runs.nameOf(runRowId), host: tx.hosts.hostOf(siteId), attempt, leasedUntil };
}

/**
 * SQL: whether a purchase is an open one of an acquire batch `b`. A batch is made with its purchases, so their ids follow each other. One that is
 * reserved anew has a later id, and the last id of its batch is moved to it.
 */
export function isOpenOfBatch(purchase: string): string {
  return `${purchase}.id BETWEEN b.first_purchase_id AND b.last_purchase_id AND ${purchase}.batch_id = b.id AND ${purchase}.ended_at IS NULL`;
}

/** A batch of the purchases that are inserted next, as many as its size, that can be leased at once. @returns its id */
export function addAcquireBatch(tx: Tx, batch: Omit<LeasedBatch, "id" | "attempt" | "leasedUntil" | "stage">): number {
  const id = addBatch(tx, { ...batch, stage: "acquire" });
  const last = tx.value<number>("SELECT coalesce(max(id), 0) FROM purchase") as number;
  tx.run`UPDATE batch SET first_purchase_id = ${last + 1}, last_purchase_id = ${last + batch.size} WHERE id = ${id}`;
  return id;
}

/** A batch of pages to be quoted, that can be leased at once. The rows of the frontier are the caller's to write. @returns its id */
export function addQuoteBatch(
  tx: Tx,
  { runRowId, siteId }: Pick<LeasedBatch, "runRowId" | "siteId">,
  pageIds: readonly number[],
): number {
  const id = addBatch(tx, { runRowId, siteId, stage: "quote", size: pageIds.length });
  tx.run`UPDATE batch SET pages = ${JSON.stringify(pageIds)} WHERE id = ${id}`;
  return id;
}

/** A batch that can be leased at once. @returns its id */
export function addBatch(
  tx: Tx,
  { runRowId, siteId, stage, size }: Omit<LeasedBatch, "id" | "attempt" | "leasedUntil">,
): number {
  if (size > 0) {
    tx.run(ADD_WAITING, size, runRowId, siteId);
  }
  return tx.insert`INSERT INTO batch (run_id, site_id, stage, state, size, ready_at) VALUES (${runRowId}, ${siteId}, ${stage},
    'ready', ${size}, 0)`;
}

const FREE_PAGES = `UPDATE frontier SET batch_id = NULL WHERE run_id = @runRowId AND page_id IN (
  SELECT f.value FROM batch b CROSS JOIN json_each(b.pages) f WHERE b.run_id = @runRowId AND (@siteId IS NULL OR b.site_id = @siteId) AND b.stage = 'quote')`;

/** The pages of quote batches wait in none: their batches are removed next, undone. @param siteId null: of every site of the run */
export function freePages(tx: Tx, runRowId: number, siteId: number | null): void {
  for (const batchId of tx.values<number>`SELECT id FROM batch WHERE run_id = ${runRowId} AND (${siteId} IS NULL OR site_id = ${siteId}) AND stage = 'quote'`) {
    giveRows(tx, batchId);
  }
  tx.run(FREE_PAGES, { runRowId, siteId });
}

/** Takes a batch that is done out of the table. */
export function removeBatch(tx: Tx, { id, runRowId, siteId, size }: LeasedBatch): void {
  tx.run`DELETE FROM batch WHERE id = ${id}`;
  if (size > 0) {
    tx.run(ADD_WAITING, -size, runRowId, siteId);
  }
}
