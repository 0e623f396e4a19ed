import { setAsideMicros } from "../../../budget/set-aside.ts";
import { assertBug, LicetError } from "../../../errors.ts";
import type { PurchaseState } from "../../../purchase/purchase.ts";
import type { Ledger } from "../../ledger.ts";
import type { Settled, Settlement } from "../../purchase-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { accountOf } from "../money/purchase-money.ts";
import { type AnswerFlaws, createAnswerFlaws } from "./answer-flaws.ts";
import { SETTLED_ROW_COLUMNS, type SettledRow } from "./purchase-rows.ts";
import { type ContentRow, createContentStore } from "./stored-content.ts";

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
export function createSettlePurchase(parts: LedgerParts): Ledger["settlePurchase"] {
  const { purchaseRows } = parts;
  const storeContent = createStoreContent(parts);
  const flaws = createAnswerFlaws(parts);
  const settleLate = createLateSettlement(parts, { storeContent, flaws });

  return (settlement) =>
    parts.write((): Settled => {
      const row = purchaseRows.settle(settlement, "settle");
      if (row === null) {
        return settleLate(settlement);
      }
      if (row.currency !== null) {
        accountOf(parts, row, row.currency).reservedMicros -= setAsideMicros(row);
      }
      bookCharge(parts, row);
      storeContent(row, settlement);
      return { outcome: "settled", stopped: flaws.list(row, settlement) };
    });
}

/** Content for a purchase that is no longer started: what was paid for is kept whatever was thought of it meanwhile. */
function createLateSettlement(
  parts: LedgerParts,
  { storeContent, flaws }: { readonly storeContent: StoreContent; readonly flaws: AnswerFlaws },
): (settlement: Settlement) => Settled {
  const select = parts.db.prepare<[number], FoundRow>(
    `SELECT ${SETTLED_ROW_COLUMNS}, state, reason,
       EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = purchase.id) AS hasContent
     FROM purchase WHERE id = ?`,
  );
  const resolve = parts.db.prepare<[number, number, string | null, number]>(
    "INSERT INTO resolution (purchase_id, outcome, amount_micros, currency, source, at) VALUES (?, 'charged', ?, ?, 'late_answer', ?)",
  );

  return (settlement) => {
    const { purchaseId, now } = settlement;
    const found = select.get(purchaseId);
    if (found === undefined) {
      throw new LicetError("PURCHASE_NOT_FOUND", `there is no purchase ${purchaseId}`, { details: { purchaseId } });
    }
    if (found.state === "settled") {
      if (found.hasContent === 1) {
        return REPEATED;
      }
      // Resolved by hand as charged: the money is booked, the content is new.
      parts.counters.add({ runRowId: found.runRowId, siteId: found.siteId, kind: "settled" }, -1);
      parts.purchaseRows.noteAnswer(settlement);
      storeContent(found, settlement);
      return { outcome: "settled", stopped: flaws.listResolved(found, settlement) };
    }
    const row = parts.purchaseRows.settle(settlement, "settleLate");
    assertBug(row !== null, `purchase ${purchaseId} has content but is ${found.state}`);
    uncount(parts, found);
    bookCharge(parts, row);
    storeContent(row, settlement);
    resolve.run(purchaseId, row.chargedMicros + row.chargedFeeMicros, row.chargedCurrency, now);
    return { outcome: "settled", stopped: flaws.list(row, settlement) };
  };
}

type StoreContent = (row: ContentRow, settlement: Settlement) => void;

/** Stores the content, and counts content that is as good as none. */
function createStoreContent(core: LedgerCore): StoreContent {
  const store = createContentStore(core);
  return (row, { content, isEmpty, now }) => {
    store(row, content, now);
    if (isEmpty) {
      core.counters.add({ runRowId: row.runRowId, siteId: row.siteId, kind: "empty" }, 1);
    }
  };
}

/** Takes a purchase in doubt or released out of what it counted as. */
function uncount(core: LedgerCore, found: FoundRow): void {
  const { runRowId, siteId, currency } = found;
  if (found.state === "released") {
    core.counters.add({ runRowId, siteId, kind: "released", reason: found.reason ?? "" }, -1);
    return;
  }
  core.counters.add({ runRowId, siteId, kind: "in_doubt" }, -1);
  if (currency !== null) {
    accountOf(core, found, currency).inDoubtMicros -= setAsideMicros(found);
  }
}

function bookCharge(core: LedgerCore, row: SettledRow): void {
  if (row.chargedCurrency !== null) {
    const account = accountOf(core, row, row.chargedCurrency);
    account.settledMicros += row.chargedMicros + row.chargedFeeMicros;
    account.feeMicros += row.chargedFeeMicros;
  }
}
