/** What became of a purchase in doubt, for a person's word and for what needs none. Called within a write. */
import { toMicros } from "../../../money/micros.ts";
import type { Money } from "../../../money/money.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { accountOf, type MoneyRow, reservedTotal } from "../money/purchase-money.ts";

export interface PurchaseResolution {
  readonly purchaseId: number;
  /** In doubt. */
  readonly row: MoneyRow;
  readonly charged: boolean;
  readonly source: "operator" | "nothing_to_charge";
  readonly now: number;
}

/**
 * Writes: purchase, resolution, balances, tallies. What was set aside for the report of the fetch is freed either way: there is no
 * content, so there was no use. @returns what was charged
 */
export function createPurchaseResolution(core: LedgerCore): (resolution: PurchaseResolution) => Money | null {
  const settle = core.db.prepare<[number, number]>(
    `UPDATE purchase SET state = 'settled', ended_at = ?, charged_micros = quoted_micros, charged_fee_micros = fee_micros,
       charged_currency = currency WHERE id = ?`,
  );
  const release = core.db.prepare<[number, number]>(
    "UPDATE purchase SET state = 'released', ended_at = ?, reason = 'resolved_not_charged' WHERE id = ?",
  );
  const resolve = core.db.prepare<[number, string, number, string | null, string, number]>(
    "INSERT INTO resolution (purchase_id, outcome, amount_micros, currency, source, at) VALUES (?, ?, ?, ?, ?, ?)",
  );
  return ({ purchaseId, row, charged, source, now }) => {
    const { runId, siteId, currency } = row;
    const amountMicros = charged ? row.quotedMicros + row.feeMicros : 0;
    core.tallies.add({ runId, siteId, kind: "in_doubt" }, -1);
    if (charged) {
      settle.run(now, purchaseId);
      core.tallies.add({ runId, siteId, kind: "settled" }, 1);
    } else {
      release.run(now, purchaseId);
      core.tallies.add({ runId, siteId, kind: "released", reason: "resolved_not_charged" }, 1);
    }
    resolve.run(purchaseId, charged ? "charged" : "not_charged", amountMicros, currency, source, now);
    if (currency === null) {
      return null;
    }
    const account = accountOf(core, row, currency);
    account.inDoubtMicros -= reservedTotal(row);
    account.settledMicros += amountMicros;
    account.feeMicros += charged ? row.feeMicros : 0;
    return charged ? { micros: toMicros(amountMicros), currency } : null;
  };
}
