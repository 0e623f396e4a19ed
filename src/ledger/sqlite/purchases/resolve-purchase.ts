/** What became of a purchase in doubt, for a person's word and for what needs none. Called within a write. */
import { setAsideMicros } from "../../../budget/set-aside.ts";
import { LicetError } from "../../../errors.ts";
import { addMicros, ZERO_MICROS } from "../../../money/micros.ts";
import type { Money } from "../../../money/money.ts";
import type { PurchaseState } from "../../../purchase/purchase.ts";
import type { Ledger } from "../../ledger.ts";
import type { ResolvedPurchase } from "../../purchase-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { accountOf, MONEY_ROW_COLUMNS, type MoneyRow } from "../money/purchase-money.ts";

interface DoubtfulRow extends MoneyRow {
  readonly state: PurchaseState;
  readonly url: string;
}

/**
 * Reads and writes: purchase, resolution, balances, counters; page, where it is kept off. Not repeatable: a second call finds it
 * resolved and throws.
 */
export function createResolvePurchase(parts: LedgerParts): Ledger["resolvePurchase"] {
  const { resolveDoubt, describeId } = parts;
  const select = parts.db.prepare<[number], DoubtfulRow>(
    `SELECT state, (SELECT url FROM page WHERE id = page_id) AS url, ${MONEY_ROW_COLUMNS} FROM purchase WHERE id = ?`,
  );
  const keepOffPage = parts.db.prepare<[number]>(
    "UPDATE page SET keep_off = 1 WHERE id = (SELECT page_id FROM purchase WHERE id = ?)",
  );

  return ({ purchaseId, charged, keepOff = false, now }) =>
    parts.write((): ResolvedPurchase => {
      const row = requireInDoubt(select.get(purchaseId), purchaseId, describeId);
      const amount = resolveDoubt({ purchaseId, row, charged, now });
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
export function createPurchaseResolution(
  parts: LedgerCore & Pick<LedgerParts, "purchaseRows">,
): (resolution: PurchaseResolution) => Money | null {
  const insert = parts.db.prepare<[number, string, number, string | null, string, number]>(
    "INSERT INTO resolution (purchase_id, outcome, amount_micros, currency, source, at) VALUES (?, ?, ?, ?, ?, ?)",
  );
  return ({ purchaseId, row, charged, now }) => {
    const { runRowId, siteId, currency } = row;
    const amountMicros = charged ? addMicros(row.quotedMicros, row.feeMicros) : ZERO_MICROS;
    parts.purchaseRows.resolve({ purchaseId, charged, now });
    parts.counters.add({ runRowId, siteId, kind: "in_doubt" }, -1);
    if (charged) {
      parts.counters.add({ runRowId, siteId, kind: "settled" }, 1);
    } else {
      parts.counters.add({ runRowId, siteId, kind: "released", reason: "resolved_not_charged" }, 1);
    }
    insert.run(purchaseId, charged ? "charged" : "not_charged", amountMicros, currency, "operator", now);
    if (currency === null) {
      return null;
    }
    const account = accountOf(parts, row, currency);
    account.inDoubtMicros -= setAsideMicros(row);
    account.settledMicros += amountMicros;
    account.feeMicros += charged ? row.feeMicros : 0;
    return charged ? { micros: amountMicros, currency } : null;
  };
}

/** Reads the purchases in doubt alone, from their index, page by page. */
export function createReadDoubts({ db, read }: LedgerCore): Ledger["readDoubts"] {
  const select = db
    .prepare<[string, number, number], number>(
      `SELECT p.id FROM purchase p JOIN run r ON r.id = p.run_id
       WHERE p.state = 'in_doubt' AND r.name = ? AND p.id > ? ORDER BY p.id LIMIT ?`,
    )
    .pluck();
  return ({ runId, afterPurchaseId, limit }) => read(() => select.all(runId, afterPurchaseId, limit));
}
