/** The rows of work to do (schema/batch.ts). Called within a write, but for `find`. */
import type { BatchStage } from "../../lease-ledger.ts";
import type { Connection } from "../engine/connection.ts";

export interface LeasedBatch {
  readonly id: number;
  readonly runRowId: number;
  readonly siteId: number;
  readonly stage: BatchStage;
  readonly size: number;
  /** Which leasing of the batch this is, from 1. */
  readonly attempt: number;
}

export interface Batches {
  /** The batch that a lease holds; null when the lease is stale or of another stage. */
  find(leaseId: string, stage: BatchStage): LeasedBatch | null;
  /** A batch that can be leased at once. @returns its id */
  add(batch: {
    readonly runRowId: number;
    readonly siteId: number;
    readonly stage: BatchStage;
    readonly size: number;
  }): number;
  /** Takes a batch that is done out of the table. */
  remove(batch: LeasedBatch): void;
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

export function createBatches(db: Connection): Batches {
  const select = db.prepare<[number, number, BatchStage], LeasedBatch>(
    "SELECT id, run_id AS runRowId, site_id AS siteId, stage, size, fence AS attempt FROM batch WHERE id = ? AND fence = ? AND state = 'leased' AND stage = ?",
  );
  const insert = db
    .prepare<[number, number, BatchStage, number], number>(
      "INSERT INTO batch (run_id, site_id, stage, state, size, ready_at) VALUES (?, ?, ?, 'ready', ?, 0) RETURNING id",
    )
    .pluck();
  const remove = db.prepare<[number]>("DELETE FROM batch WHERE id = ?");
  const addWaiting = db.prepare<[number, number, number]>(
    "UPDATE run_site SET waiting_pages = waiting_pages + ? WHERE run_id = ? AND site_id = ?",
  );
  return {
    find(leaseId, stage) {
      const lease = parseLeaseId(leaseId);
      return lease === null ? null : (select.get(lease.batchId, lease.attempt, stage) ?? null);
    },
    add({ runRowId, siteId, stage, size }) {
      if (size > 0) {
        addWaiting.run(size, runRowId, siteId);
      }
      return insert.get(runRowId, siteId, stage, size) as number;
    },
    remove({ id, runRowId, siteId, size }) {
      remove.run(id);
      if (size > 0) {
        addWaiting.run(-size, runRowId, siteId);
      }
    },
  };
}
