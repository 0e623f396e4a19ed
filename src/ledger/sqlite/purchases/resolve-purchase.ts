/** What became of a purchase in doubt, for a person's word and for what needs none. Called within a write. */

import { LicetError } from "../../../errors.ts";
import { addMicros, ZERO_MICROS } from "../../../money/micros.ts";
import type { Money } from "../../../money/money.ts";
import type { PurchaseState } from "../../../purchase/purchase.ts";
import type { ResolvedPurchase } from "../../purchase-ledger.ts";
import { recordAct } from "../acts/record-act.ts";
import { MONEY_ROW_COLUMNS, type MoneyRow } from "../money/purchase-money.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";
import { describeId } from "../usage/open-items.ts";
import { moveOutOfDoubt, type Resolving } from "./purchase-rows.ts";

interface DoubtfulRow extends MoneyRow {
  readonly state: PurchaseState;
  readonly url: string;
}

const SELECT_PURCHASE = `SELECT state, (SELECT url FROM page WHERE id = page_id) AS url, ${MONEY_ROW_COLUMNS} FROM purchase WHERE id = ?`;

/**
 * Reads and writes: purchase, resolution, act, balances, counters; page, where it is kept off. Not repeatable: a second call finds it
 * resolved and throws.
 */
export function resolvePurchase(
  tx: Tx,
  { purchaseId, charged, keepOff = false, who, now }: Asked<"resolvePurchase">,
): ResolvedPurchase {
  const row = requireInDoubt(tx.get<DoubtfulRow>(SELECT_PURCHASE, purchaseId), purchaseId, (id) => describeId(tx, id));
  const amount = resolveDoubt(tx, row, { purchaseId, charged, now });
  recordAct(tx, { kind: charged ? "purchase_charged" : "purchase_not_charged", who, purchaseId, now });
  if (keepOff) {
    tx.run`UPDATE page SET keep_off = 1 WHERE id = (SELECT page_id FROM purchase WHERE id = ${purchaseId})`;
  }
  return {
    purchaseId,
    url: row.url,
    state: charged ? "settled" : "released",
    spentMicros: amount?.micros ?? null,
    currency: amount?.currency ?? null,
    keptOff: keepOff,
  };
}

function requireInDoubt(
  row: DoubtfulRow | undefined,
  purchaseId: number,
  describeId: (id: number) => string,
): DoubtfulRow {
  if (row === undefined) {
    throw new LicetError("PURCHASE_NOT_FOUND", `there is no purchase ${purchaseId}`, {
      hint: describeId(purchaseId),
      details: { purchaseId },
    });
  }
  if (row.state !== "in_doubt") {
    throw new LicetError("PURCHASE_NOT_IN_DOUBT", `purchase ${purchaseId} is ${row.state}, not in doubt`, {
      hint: describeId(purchaseId),
      details: { purchaseId, state: row.state },
    });
  }
  return row;
}

/** Writes: purchase, resolution, balances, counters, booking. @returns what was charged */
function resolveDoubt(
  tx: Tx,
  { quotedMicros, feeMicros, currency }: DoubtfulRow,
  { purchaseId, charged, now }: Resolving,
): Money | null {
  const micros = charged ? addMicros(quotedMicros, feeMicros) : ZERO_MICROS;
  moveOutOfDoubt(tx, { purchaseId, charged, now });
  tx.run`INSERT INTO resolution (purchase_id, outcome, amount_micros, currency, source, at)
    VALUES (${purchaseId}, ${charged ? "charged" : "not_charged"}, ${micros}, ${currency}, 'operator', ${now})`;
  return charged && currency !== null ? { micros, currency } : null;
}

/** Reads the purchases in doubt alone, from their index, page by page. */
export function readDoubts(tx: ReadTx, { runId, afterPurchaseId, limit }: Asked<"readDoubts">): Answered<"readDoubts"> {
  return tx.values<number>`SELECT p.id FROM purchase p JOIN run r ON r.id = p.run_id WHERE p.state = 'in_doubt' AND r.name = ${runId}
    AND p.id > ${afterPurchaseId} ORDER BY p.id LIMIT ${limit}`;
}
