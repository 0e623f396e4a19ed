import { LicetError } from "../../../errors.ts";
import type { PurchaseState } from "../../../purchase/purchase.ts";
import type { Ledger } from "../../ledger.ts";
import type { ResolvedPurchase } from "../../purchase-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { MoneyRow } from "../money/purchase-money.ts";
import { createDescribeId } from "../usage/other-ids.ts";
import { createPurchaseResolution } from "./purchase-resolution.ts";

interface DoubtfulRow extends MoneyRow {
  readonly state: PurchaseState;
  readonly url: string;
}

/**
 * Reads and writes: purchase, resolution, balances, tallies; page, where it is kept off. Not repeatable: a second call finds it
 * resolved and throws.
 */
export function createResolvePurchase(core: LedgerCore): Ledger["resolvePurchase"] {
  const select = core.db.prepare<[number], DoubtfulRow>(
    `SELECT u.state, p.url, u.run_id AS runId, u.site_id AS siteId, u.quoted_micros AS quotedMicros, u.fee_micros AS feeMicros,
       u.use_reserve_micros AS useReserveMicros, u.currency, u.reserved_at AS reservedAt
     FROM purchase u JOIN page p ON p.id = u.page_id WHERE u.id = ?`,
  );
  const resolve = createPurchaseResolution(core);
  const keepOffPage = core.db.prepare<[number]>(
    "UPDATE page SET keep_off = 1 WHERE id = (SELECT page_id FROM purchase WHERE id = ?)",
  );
  const describeId = createDescribeId(core.db);

  return ({ purchaseId, charged, keepOff = false, now }) =>
    core.write((): ResolvedPurchase => {
      const row = requireInDoubt(select.get(purchaseId), purchaseId, describeId);
      const amount = resolve({ purchaseId, row, charged, source: "operator", now });
      if (keepOff) {
        keepOffPage.run(purchaseId);
      }
      return { purchaseId, url: row.url, state: charged ? "settled" : "released", amount, keptOff: keepOff };
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
