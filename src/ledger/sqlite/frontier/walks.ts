/** The walk columns of run_site as a WalkState (catalog/walk-state.ts). */
import type { WalkState } from "../../../catalog/walk-state.ts";
import type { Ledger } from "../../ledger.ts";
import type { Connection } from "../engine/connection.ts";
import type { LedgerParts } from "../ledger-parts.ts";

export interface WalkStates {
  /** null when the site was stopped. */
  read(runRowId: number, siteId: number): WalkState | null;
  /** @param warning null leaves the one there is */
  write(runRowId: number, siteId: number, state: WalkState, warning: string | null): void;
}

interface WalkRow {
  readonly pageToken: string | null;
  readonly pagesRead: number;
  readonly stopBelowAt: number | null;
  readonly ordered: number;
  readonly lastAt: number | null;
  readonly newestAt: number | null;
  readonly ended: "complete" | "cut" | null;
}

export function createWalkStates(db: Connection): WalkStates {
  const select = db.prepare<[number, number], WalkRow>(
    `SELECT walk_page_token AS pageToken, walk_pages_read AS pagesRead, walk_stop_below_at AS stopBelowAt, walk_ordered AS ordered,
       walk_last_at AS lastAt, walk_newest_at AS newestAt, walk_ended AS ended
     FROM run_site WHERE run_id = ? AND site_id = ? AND stop IS NULL`,
  );
  const update = db.prepare(
    `UPDATE run_site SET walk_page_token = ?, walk_pages_read = ?, walk_stop_below_at = ?, walk_ordered = ?, walk_last_at = ?,
       walk_newest_at = ?, walk_ended = ?, walk_warning = coalesce(?, walk_warning)
     WHERE run_id = ? AND site_id = ?`,
  );
  return {
    read(runRowId, siteId) {
      const row = select.get(runRowId, siteId);
      return row === undefined ? null : { ...row, ordered: row.ordered === 1 };
    },
    write(runRowId, siteId, state, warning) {
      const { pageToken, pagesRead, stopBelowAt, ordered, lastAt, newestAt, ended } = state;
      update.run(
        pageToken,
        pagesRead,
        stopBelowAt,
        ordered ? 1 : 0,
        lastAt,
        newestAt,
        ended,
        warning,
        runRowId,
        siteId,
      );
    },
  };
}

/** Reads: batch, run_site. */
export function createOpenWalk(parts: LedgerParts): Ledger["openWalk"] {
  const { batches, walks } = parts;
  return (leaseId) =>
    parts.read(() => {
      const batch = batches.find(leaseId, "walk");
      const walk = batch === null ? null : walks.read(batch.runRowId, batch.siteId);
      if (batch === null || walk === null) {
        return null;
      }
      return {
        runId: parts.runs.nameOf(batch.runRowId),
        host: parts.hosts.hostOf(batch.siteId),
        attempt: batch.attempt,
        walk,
      };
    });
}

/** Reads and writes: batch, run_site. Idempotent by lease. */
export function createEndWalk(parts: LedgerParts): Ledger["endWalk"] {
  const { batches, walks, quoteFilling } = parts;
  return ({ leaseId, warning }) =>
    parts.write(() => {
      const batch = batches.find(leaseId, "walk");
      const walk = batch === null ? null : walks.read(batch.runRowId, batch.siteId);
      if (batch === null || walk === null) {
        return false;
      }
      walks.write(batch.runRowId, batch.siteId, { ...walk, pageToken: null, ended: "cut" }, warning);
      batches.remove(batch);
      quoteFilling.finish(batch.runRowId, batch.siteId);
      return true;
    });
}
