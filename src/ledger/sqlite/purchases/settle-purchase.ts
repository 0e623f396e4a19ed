import { assertBug, LicetError } from "../../../errors.ts";
import type { Currency } from "../../../money/money.ts";
import { isLegalTransition, type PurchaseState } from "../../../purchase/purchase.ts";
import type { Ledger } from "../../ledger.ts";
import type { Settled, Settlement } from "../../purchase-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { accountOf, reservedTotal } from "../money/purchase-money.ts";
import { createAnswerFlaws } from "./answer-flaws.ts";
import { createContentHold, HELD_ROW_COLUMNS, type HeldRow } from "./stored-content.ts";

interface ChargedRow extends HeldRow {
  readonly chargedMicros: number;
  readonly chargedFeeMicros: number;
  readonly chargedCurrency: Currency | null;
  readonly overcharged: number;
}

interface FoundRow extends ChargedRow {
  readonly state: PurchaseState;
  readonly reason: string | null;
  readonly hasContent: number;
}

/** NULL until it is settled. */
const CHARGED_COLUMNS = `charged_micros AS chargedMicros, charged_fee_micros AS chargedFeeMicros,
  charged_currency AS chargedCurrency, overcharged`;

const REPEATED: Settled = { outcome: "repeated", stopped: null };

/**
 * Reads and writes: purchase, content, use, page, balances, tallies, in one transaction (promise 4); open_item and run_site, when the
 * answer is not what was ordered; resolution, when the content comes for a purchase already given up. Idempotent by purchase: `repeated` once its content is kept.
 */
export function createSettlePurchase(parts: LedgerParts): Ledger["settlePurchase"] {
  const charge = createCharge(parts);
  const keep = createKeeping(parts);
  const flaws = createAnswerFlaws(parts);
  const settleLate = createLateSettlement(parts);

  return (settlement) =>
    parts.write((): Settled => {
      const row = charge(settlement, "started");
      if (row === null) {
        return settleLate(settlement);
      }
      if (row.currency !== null) {
        accountOf(parts, row, row.currency).reservedMicros -= reservedTotal(row);
      }
      bookCharge(parts, row);
      keep(row, settlement);
      return { outcome: "settled", stopped: flaws.list(row, settlement) };
    });
}

/** Content for a purchase that is no longer started: what was paid for is kept whatever was thought of it meanwhile. */
function createLateSettlement(parts: LedgerParts): (settlement: Settlement) => Settled {
  const charge = createCharge(parts);
  const keep = createKeeping(parts);
  const flaws = createAnswerFlaws(parts);
  const select = parts.db.prepare<[number], FoundRow>(
    `SELECT ${HELD_ROW_COLUMNS}, state, reason, ${CHARGED_COLUMNS},
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
      parts.tallies.add({ runRowId: found.runRowId, siteId: found.siteId, kind: "settled" }, -1);
      keep(found, settlement);
      return { outcome: "settled", stopped: flaws.listResolved(found, settlement) };
    }
    assertBug(isLegalTransition(found.state, "settled"), `purchase ${purchaseId} has content but is ${found.state}`);
    const row = charge(settlement, found.state);
    assertBug(row !== null, `purchase ${purchaseId} changed within one transaction`);
    uncount(parts, found);
    bookCharge(parts, row);
    keep(row, settlement);
    resolve.run(purchaseId, row.chargedMicros + row.chargedFeeMicros, row.chargedCurrency, now);
    return { outcome: "settled", stopped: flaws.list(row, settlement) };
  };
}

/** Keeps the content, and counts the one that is as good as none. */
function createKeeping(core: LedgerCore): (row: HeldRow, settlement: Settlement) => void {
  const hold = createContentHold(core);
  return (row, { content, isEmpty, now }) => {
    hold(row, content, now);
    if (isEmpty) {
      core.tallies.add({ runRowId: row.runRowId, siteId: row.siteId, kind: "empty" }, 1);
    }
  };
}

/** Takes a purchase in doubt or released out of what it counted as. */
function uncount(core: LedgerCore, found: FoundRow): void {
  const { runRowId, siteId, currency } = found;
  if (found.state === "released") {
    core.tallies.add({ runRowId, siteId, kind: "released", reason: found.reason ?? "" }, -1);
    return;
  }
  core.tallies.add({ runRowId, siteId, kind: "in_doubt" }, -1);
  if (currency !== null) {
    accountOf(core, found, currency).inDoubtMicros -= reservedTotal(found);
  }
}

function bookCharge(core: LedgerCore, row: ChargedRow): void {
  if (row.chargedCurrency !== null) {
    const account = accountOf(core, row, row.chargedCurrency);
    account.settledMicros += row.chargedMicros + row.chargedFeeMicros;
    account.feeMicros += row.chargedFeeMicros;
  }
}

/** Writes the charge, the quote where the gateway did not say one; null when the purchase is not in that state. */
function createCharge(core: LedgerCore): (settlement: Settlement, from: PurchaseState) => ChargedRow | null {
  const update = core.db.prepare<
    [
      number,
      number | null,
      number,
      string | null,
      string | null,
      number | null,
      number | null,
      string | null,
      number,
      PurchaseState,
    ],
    ChargedRow
  >(
    `UPDATE purchase SET state = 'settled', ended_at = ?, token = NULL, token_expires_at = NULL,
       charged_micros = coalesce(?, quoted_micros), charged_fee_micros = ?, charged_currency = coalesce(?, currency),
       overcharged = coalesce((currency IS NOT ? AND ? > 0) OR ? > quoted_micros, 0), request_id = ?
     WHERE id = ? AND state = ?
     RETURNING ${HELD_ROW_COLUMNS}, ${CHARGED_COLUMNS}`,
  );
  return ({ purchaseId, now, charge, feeMicros, requestId }, from) => {
    const micros = charge === null ? null : charge.micros;
    const currency = charge === null ? null : charge.currency;
    return update.get(now, micros, feeMicros, currency, currency, micros, micros, requestId, purchaseId, from) ?? null;
  };
}
