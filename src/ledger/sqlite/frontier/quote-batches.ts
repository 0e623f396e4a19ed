import type { InDoubtPolicy } from "../../../policy/rule.ts";
import type { BlockReason } from "../../frontier-ledger.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { FRONTIER_PAGE_COLUMNS, type FrontierPageRow, toFrontierPage } from "./frontier-pages.ts";
import { IS_BEING_BOUGHT, IS_IN_DOUBT } from "./open-page.ts";

/** Reads: batch, frontier, page. The batches of a stopped site are gone, so a lease on one is stale. */
export function createOpenQuoteBatch(parts: LedgerParts): Ledger["openQuoteBatch"] {
  const { batches } = parts;
  // Those of a list in its order.
  const selectPages = parts.db.prepare<[number], FrontierPageRow>(
    `SELECT ${FRONTIER_PAGE_COLUMNS}
     FROM frontier f JOIN page p ON p.id = f.page_id LEFT JOIN listed_page l ON l.run_id = f.run_id AND l.page_id = f.page_id
     WHERE f.batch_id = ? ORDER BY l.line, f.page_id`,
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
        pages: selectPages.all(batch.id).map(toFrontierPage),
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

/** What keeps a page from being bought whatever the policy says. Columns of `page p`. */
export interface BlockColumns {
  readonly keepOff: number;
  readonly isOpen: number;
  readonly isInDoubt: number;
}

export const BLOCK_COLUMNS = `p.keep_off AS keepOff, ${IS_BEING_BOUGHT} AS isOpen, ${IS_IN_DOUBT} AS isInDoubt`;

export function findBlock({ keepOff, isOpen, isInDoubt }: BlockColumns, inDoubt: InDoubtPolicy): BlockReason | null {
  if (keepOff === 1) {
    return "kept_off";
  }
  if (isOpen === 1) {
    return "already_open";
  }
  return isInDoubt === 1 && inDoubt === "hold" ? "in_doubt" : null;
}

/** Reads: page; purchase, by page. */
export function createFindBlocked(core: LedgerCore): Ledger["findBlocked"] {
  const select = core.db.prepare<[number], BlockColumns>(`SELECT ${BLOCK_COLUMNS} FROM page p WHERE p.id = ?`);
  return ({ pageIds, inDoubt }) =>
    core.read(() =>
      pageIds.flatMap((pageId) => {
        const page = select.get(pageId);
        const reason = page === undefined ? null : findBlock(page, inDoubt);
        return reason === null ? [] : [{ pageId, reason }];
      }),
    );
}
