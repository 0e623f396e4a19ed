import { LicetError } from "../../../errors.ts";
import { toMicros } from "../../../money/micros.ts";
import type { PurchaseState } from "../../../purchase/purchase.ts";
import type { Ledger } from "../../ledger.ts";
import type { ResolvedPurchase } from "../../purchase-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createDescribeId } from "../other-ids.ts";
import { accountOf, type MoneyRow, reservedTotal } from "../purchase-money.ts";

interface DoubtfulRow extends MoneyRow {
  readonly state: PurchaseState;
  readonly url: string;
}

/**
 * Reads and writes: purchase, resolution, balances, tallies. Not repeatable: a second call finds it resolved and throws.
 * What was set aside for the report of the fetch is freed either way: there is no content, so there was no use.
 */
export function createResolvePurchase(core: LedgerCore): Ledger["resolvePurchase"] {
  const select = core.db.prepare<[number], DoubtfulRow>(
    `SELECT u.state, p.url, u.run_id AS runId, u.site_id AS siteId, u.quoted_micros AS quotedMicros, u.fee_micros AS feeMicros,
       u.use_reserve_micros AS useReserveMicros, u.currency, u.reserved_at AS reservedAt
     FROM purchase u JOIN page p ON p.id = u.page_id WHERE u.id = ?`,
  );
  const settle = core.db.prepare<[number, number]>(
    `UPDATE purchase SET state = 'settled', ended_at = ?, charged_micros = quoted_micros, charged_fee_micros = fee_micros,
       charged_currency = currency WHERE id = ?`,
  );
  const release = core.db.prepare<[number, number]>(
    "UPDATE purchase SET state = 'released', ended_at = ?, reason = 'resolved_not_charged' WHERE id = ?",
  );
  const resolve = core.db.prepare<[number, string, number, string | null, number]>(
    "INSERT INTO resolution (purchase_id, outcome, amount_micros, currency, source, at) VALUES (?, ?, ?, ?, 'operator', ?)",
  );

  const describeId = createDescribeId(core.db);

  return ({ purchaseId, charged, now }) =>
    core.write((): ResolvedPurchase => {
      const row = requireInDoubt(select.get(purchaseId), purchaseId, describeId);
      const { runId, siteId, currency, url } = row;
      const amountMicros = charged ? row.quotedMicros + row.feeMicros : 0;
      core.tallies.add({ runId, siteId, kind: "in_doubt" }, -1);
      if (charged) {
        settle.run(now, purchaseId);
        core.tallies.add({ runId, siteId, kind: "settled" }, 1);
      } else {
        release.run(now, purchaseId);
        core.tallies.add({ runId, siteId, kind: "released", reason: "resolved_not_charged" }, 1);
      }
      resolve.run(purchaseId, charged ? "charged" : "not_charged", amountMicros, currency, now);
      if (currency === null) {
        return { purchaseId, url, state: charged ? "settled" : "released", amount: null };
      }
      const account = accountOf(core, row, currency);
      account.inDoubtMicros -= reservedTotal(row);
      account.settledMicros += amountMicros;
      account.feeMicros += charged ? row.feeMicros : 0;
      return charged
        ? { purchaseId, url, state: "settled", amount: { micros: toMicros(amountMicros), currency } }
        : { purchaseId, url, state: "released", amount: null };
    });
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
