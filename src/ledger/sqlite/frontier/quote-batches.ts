import type { FrontierPage } from "../../frontier-ledger.ts";
import type { Ledger } from "../../ledger.ts";
import { IS_BEING_BOUGHT, IS_IN_DOUBT } from "../engine/page-spellings.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";

/** Reads: batch, frontier, page. The batches of a stopped site are gone, so a lease on one is stale. */
export function createOpenQuoteBatch(parts: LedgerParts): Ledger["openQuoteBatch"] {
  const { batches } = parts;
  const selectPages = parts.db.prepare<[number], FrontierPage>(
    `SELECT p.id AS pageId, p.url, coalesce(p.wire_url, p.url) AS wireUrl, p.last_mod_at AS lastModAt
     FROM frontier f JOIN page p ON p.id = f.page_id WHERE f.batch_id = ? ORDER BY f.run_id, f.page_id`,
  );
  return (leaseId) =>
    parts.read(() => {
      const batch = batches.find(leaseId, "quote");
      if (batch === null) {
        return null;
      }
      return {
        runId: parts.runs.nameOf(batch.runRowId),
        host: parts.hosts.hostOf(batch.siteId),
        attempt: batch.attempt,
        pages: selectPages.all(batch.id),
      };
    });
}

/** Writes: frontier, batch. Idempotent by lease. */
export function createFinishQuoteBatch(parts: LedgerParts): Ledger["finishQuoteBatch"] {
  const { batches } = parts;
  const setDecided = parts.db.prepare<[number]>(
    "UPDATE frontier SET state = 'decided', batch_id = NULL WHERE batch_id = ?",
  );
  return (leaseId) =>
    parts.write(() => {
      const batch = batches.find(leaseId, "quote");
      if (batch === null) {
        return false;
      }
      setDecided.run(batch.id);
      batches.remove(batch);
      return true;
    });
}

/** Reads: purchase, by page. */
export function createFindBlocked(core: LedgerCore): Ledger["findBlocked"] {
  const isOpen = core.db
    .prepare<[number], number>(`SELECT 1 FROM page p WHERE p.id = ? AND ${IS_BEING_BOUGHT}`)
    .pluck();
  const isInDoubt = core.db.prepare<[number], number>(`SELECT 1 FROM page p WHERE p.id = ? AND ${IS_IN_DOUBT}`).pluck();
  return ({ pageIds, inDoubt }) =>
    core.read(() => {
      const blocked: { pageId: number; reason: "in_doubt" | "already_open" }[] = [];
      for (const pageId of pageIds) {
        if (isOpen.get(pageId) !== undefined) {
          blocked.push({ pageId, reason: "already_open" });
        } else if (inDoubt === "hold" && isInDoubt.get(pageId) !== undefined) {
          blocked.push({ pageId, reason: "in_doubt" });
        }
      }
      return blocked;
    });
}
