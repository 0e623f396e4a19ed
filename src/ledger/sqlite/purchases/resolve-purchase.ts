/** What became of a purchase in doubt, for a person's word and for what needs none. Called within a write. */

import { setAsideMicros } from "../../../budget/set-aside.ts";
import { LicetError } from "../../../errors.ts";
import { addMicros, ZERO_MICROS } from "../../../money/micros.ts";
import type { Money } from "../../../money/money.ts";
import type { PurchaseState } from "../../../purchase/purchase.ts";
import type { ResolvedPurchase } from "../../purchase-ledger.ts";
import { accountOf, MONEY_ROW_COLUMNS, type MoneyRow } from "../money/purchase-money.ts";
import type { Answered, Asked } from "../operation.ts";
import type { Tx } from "../tx.ts";
import { describeId } from "../usage/open-items.ts";
import { moveOutOfDoubt } from "./purchase-rows.ts";

interface DoubtfulRow extends MoneyRow {
  readonly state: PurchaseState;
  readonly url: string;
}

const SELECT_PURCHASE = `SELECT state, (SELECT url FROM page WHERE id = page_id) AS url, ${MONEY_ROW_COLUMNS} FROM purchase WHERE id = ?`;

/**
 * Reads and writes: purchase, resolution, balances, counters; page, where it is kept off. Not repeatable: a second call finds it
 * resolved and throws.
 */
export function resolvePurchase(
  tx: Tx,
  { purchaseId, charged, keepOff = false, now }: Asked<"resolvePurchase">,
): ResolvedPurchase {
  const row = requireInDoubt(tx.get<DoubtfulRow>(SELECT_PURCHASE, purchaseId), purchaseId, (id) => describeId(tx, id));
  const amount = resolveDoubt(tx, { purchaseId, row, charged, now });
  if (keepOff) {
    tx.run("UPDATE page SET keep_off = 1 WHERE id = (SELECT page_id FROM purchase WHERE id = ?)", purchaseId);
  }
  return { purchaseId, url: row.url, state: charged ? "settled" : "released", amount, keptOff: keepOff };
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

export interface PurchaseResolution {
  readonly purchaseId: number;
  /** In doubt. */
  readonly row: MoneyRow;
  readonly charged: boolean;
  readonly now: number;
}

/**
 * Writes: purchase, resolution, balances, counters. What was set aside for the report of the fetch is freed either way: there is no
 * content, so there was no use. @returns what was charged
 */
export function resolveDoubt(tx: Tx, { purchaseId, row, charged, now }: PurchaseResolution): Money | null {
  const { runRowId, siteId, currency } = row;
  const amountMicros = charged ? addMicros(row.quotedMicros, row.feeMicros) : ZERO_MICROS;
  moveOutOfDoubt(tx, { purchaseId, charged, now });
  tx.counters.add({ runRowId, siteId, kind: "in_doubt" }, -1);
  if (charged) {
    tx.counters.add({ runRowId, siteId, kind: "settled" }, 1);
  } else {
    tx.counters.add({ runRowId, siteId, kind: "released", reason: "resolved_not_charged" }, 1);
  }
  tx.run(
    "INSERT INTO resolution (purchase_id, outcome, amount_micros, currency, source, at) VALUES (?, ?, ?, ?, ?, ?)",
    purchaseId,
    charged ? "charged" : "not_charged",
    amountMicros,
    currency,
    "operator",
    now,
  );
  if (currency === null) {
    return null;
  }
  const account = accountOf(tx, row, currency);
  account.inDoubtMicros -= setAsideMicros(row);
  account.settledMicros += amountMicros;
  account.feeMicros += charged ? row.feeMicros : 0;
  return charged ? { micros: amountMicros, currency } : null;
}

/** Reads the purchases in doubt alone, from their index, page by page. */
export function readDoubts(tx: Tx, { runId, afterPurchaseId, limit }: Asked<"readDoubts">): Answered<"readDoubts"> {
  return tx.values<number>(
    `SELECT p.id FROM purchase p JOIN run r ON r.id = p.run_id
     WHERE p.state = 'in_doubt' AND r.name = ? AND p.id > ? ORDER BY p.id LIMIT ?`,
    runId,
    afterPurchaseId,
    limit,
  );
}
