import { assertBug, LicetError } from "../../../errors.ts";
import type { PurchaseState } from "../../../purchase/purchase.ts";
import type { Settled, Settlement } from "../../purchase-ledger.ts";
import type { Asked, Tx } from "../operation.ts";
import { openFlaws, openFlawsOfResolved } from "./answer-flaws.ts";
import { moveToSettled, noteAnswer, SETTLED_ROW_COLUMNS, type SettledRow } from "./purchase-rows.ts";
import { type ContentRow, storeContent } from "./stored-content.ts";

interface FoundRow extends SettledRow {
  readonly state: PurchaseState;
  readonly reason: string | null;
  readonly hasContent: number;
}

const REPEATED: Settled = { outcome: "repeated", stopped: null };

/**
 * Reads and writes: purchase, content, use, page, balances, counters, in one transaction (promise 4); open_item and run_site, when the
 * answer is not what was ordered; resolution, when the content comes for a purchase already given up. Idempotent by purchase: `repeated` once its content is kept.
 */
export function settlePurchase(tx: Tx, settlement: Asked<"settlePurchase">): Settled {
  const row = moveToSettled(tx, settlement);
  if (row === null) {
    return settleLate(tx, settlement);
  }
  keepContent(tx, row, settlement);
  return { outcome: "settled", stopped: openFlaws(tx, row, settlement) };
}

const SELECT_FOUND = `SELECT ${SETTLED_ROW_COLUMNS}, state, reason,
    EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = purchase.id) AS hasContent
  FROM purchase WHERE id = ?`;

/** Content for a purchase that is no longer started: what was paid for is kept whatever was thought of it meanwhile. */
function settleLate(tx: Tx, settlement: Settlement): Settled {
  const { purchaseId, now } = settlement;
  const found = tx.get<FoundRow>(SELECT_FOUND, purchaseId);
  if (found === undefined) {
    throw new LicetError("PURCHASE_NOT_FOUND", `there is no purchase ${purchaseId}`, { details: { purchaseId } });
  }
  if (found.state === "settled") {
    if (found.hasContent === 1) {
      return REPEATED;
    }
    // Resolved by hand as charged: the money is counted and booked, the content is new.
    noteAnswer(tx, settlement);
    keepContent(tx, found, settlement);
    return { outcome: "settled", stopped: openFlawsOfResolved(tx, found, settlement) };
  }
  const row = moveToSettled(tx, settlement, found);
  assertBug(row !== null, `purchase ${purchaseId} has content but is ${found.state}`);
  keepContent(tx, row, settlement);
  tx.run`INSERT INTO resolution (purchase_id, outcome, amount_micros, currency, source, at)
    VALUES (${purchaseId}, 'charged', ${row.chargedMicros + row.chargedFeeMicros}, ${row.chargedCurrency}, 'late_answer', ${now})`;
  return { outcome: "settled", stopped: openFlaws(tx, row, settlement) };
}

/** Stores the content, and counts content that is as good as none. */
function keepContent(tx: Tx, row: ContentRow, { content, isEmpty, now }: Settlement): void {
  storeContent(tx, row, content, now);
  if (isEmpty) {
    tx.counters.add({ runRowId: row.runRowId, siteId: row.siteId, kind: "empty" }, 1);
  }
}
