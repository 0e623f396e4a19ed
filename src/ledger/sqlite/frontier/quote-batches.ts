import type { InDoubtPolicy } from "../../../policy/rule.ts";
import type { BlockReason } from "../../frontier-ledger.ts";
import type { Answered, Asked, ReadTx } from "../operation.ts";
import { describeBatch, findBatch } from "../runs/batches.ts";
import { FRONTIER_PAGE_COLUMNS, type FrontierPageRow, toFrontierPage } from "./frontier-pages.ts";

// Those of a list in its order.
const SELECT_PAGES = `SELECT ${FRONTIER_PAGE_COLUMNS}
  FROM batch b CROSS JOIN json_each(b.pages) f CROSS JOIN page p ON p.id = f.value LEFT JOIN listed_page l ON l.run_id = b.run_id AND l.page_id = p.id
  WHERE b.id = ? ORDER BY l.line, p.id`;

/** Reads: batch, frontier, page. The batches of a stopped site are gone, so a lease on one is stale. */
export function openQuoteBatch(tx: ReadTx, leaseId: Asked<"openQuoteBatch">): Answered<"openQuoteBatch"> {
  const batch = findBatch(tx, leaseId, "quote");
  if (batch === null) {
    return null;
  }
  return {
    ...describeBatch(tx, batch),
    pages: tx.all<FrontierPageRow>(SELECT_PAGES, batch.id).map(toFrontierPage),
  };
}

/** Whether a `page p` is being bought. */
export const IS_BEING_BOUGHT = "EXISTS (SELECT 1 FROM purchase o WHERE o.page_id = p.id AND o.ended_at IS NULL)";

/** Whether a purchase of a `page p` is in doubt. */
const IS_IN_DOUBT = "EXISTS (SELECT 1 FROM purchase d WHERE d.page_id = p.id AND d.state = 'in_doubt')";

/** What keeps a page from being bought whatever the policy says. Columns of `page p`. */
export interface BlockColumns {
  readonly keepOff: number;
  readonly isOpen: number;
  readonly isInDoubt: number;
}

export const BLOCK_COLUMNS = `p.keep_off AS keepOff, ${IS_BEING_BOUGHT} AS isOpen, ${IS_IN_DOUBT} AS isInDoubt`;

/** Why a page must not be bought now, as its own rows say. Null: nothing keeps it off. */
export function findBlock({ keepOff, isOpen, isInDoubt }: BlockColumns, inDoubt: InDoubtPolicy): BlockReason | null {
  if (keepOff === 1) {
    return "kept_off";
  }
  if (isOpen === 1) {
    return "already_open";
  }
  return isInDoubt === 1 && inDoubt === "hold" ? "in_doubt" : null;
}
