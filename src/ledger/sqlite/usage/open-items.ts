/**
 * Things that a person has to look at. Called within a write. One item stands for all things of its kind about the same report,
 * purchase or balance: it counts them and keeps the first as its example. So it is found by an index, however many there are.
 */

import type { BalanceKeyInCurrency } from "../../../budget/covering-budgets.ts";
import { LicetError } from "../../../errors.ts";
import type { OpenItem, OpenItemKind } from "../../usage-ledger.ts";
import { recordAct } from "../acts/record-act.ts";
import type { Asked, ReadTx, Tx } from "../operation.ts";

/** What an item is about: it is found again by this and its kind. */
export type ItemSubject =
  | { readonly reportId: number; readonly entryId: number | null }
  /** With a site, the site is not bought from while the item is open. */
  | { readonly purchaseId: number; readonly siteId: number | null }
  | { readonly balance: BalanceKeyInCurrency };

export interface ItemOpening {
  readonly kind: OpenItemKind;
  readonly about: ItemSubject;
  /** In words, of the example where it stands for several. */
  readonly detail: string;
  /** The page of the example. */
  readonly url: string | null;
  readonly count: number;
  readonly at: number;
}

/**
 * Opens an item. One of that kind about the same report or purchase that is open already says it all (idempotent); about the
 * same balance it counts on.
 */
export function openItem(tx: Tx, { kind, about, detail, url, count, at }: ItemOpening): void {
  const known = findItem(tx, kind, about);
  if (known !== undefined) {
    if ("balance" in about) {
      tx.run`UPDATE open_item SET count = count + ${count} WHERE id = ${known}`;
    }
    return;
  }
  const { reportId = null, entryId = null } = "reportId" in about ? about : {};
  const { purchaseId = null, siteId = null } = "purchaseId" in about ? about : {};
  const { scope = null, period = null, currency = null } = "balance" in about ? about.balance : {};
  tx.run`INSERT INTO open_item (kind, detail, url, batch_id, entry_id, purchase_id, site_id, scope, period, currency, count, at)
    VALUES (${kind}, ${detail}, ${url}, ${reportId}, ${entryId}, ${purchaseId}, ${siteId}, ${scope}, ${period}, ${currency}, ${count}, ${at})`;
}

/** Closes every open item of one kind about a report: it has resolved itself. */
export function closeItemsOf(
  tx: Tx,
  { kind, reportId, now }: { readonly kind: OpenItemKind; readonly reportId: number; readonly now: number },
): void {
  tx.run`UPDATE open_item SET closed_at = ${now} WHERE batch_id = ${reportId} AND kind = ${kind} AND closed_at IS NULL`;
}

/** The open item of a kind about the same thing. Each statement names its index's condition, so that SQLite uses it. */
function findItem(tx: ReadTx, kind: OpenItemKind, about: ItemSubject): number | undefined {
  if ("reportId" in about) {
    return tx.value<number>`SELECT id FROM open_item WHERE batch_id = ${about.reportId} AND kind = ${kind} AND closed_at IS NULL`;
  }
  if ("purchaseId" in about) {
    return tx.value<number>`SELECT id FROM open_item WHERE purchase_id = ${about.purchaseId} AND kind = ${kind} AND closed_at IS NULL`;
  }
  const { scope, period, currency } = about.balance;
  return tx.value<number>`SELECT id FROM open_item WHERE scope = ${scope} AND period = ${period} AND currency = ${currency} AND kind = ${kind}
    AND closed_at IS NULL`;
}

const SELECT_OPEN = `SELECT i.id, i.kind, i.detail, i.url, i.batch_id AS batchId, i.purchase_id AS purchaseId, s.host, i.count, i.at
  FROM open_item i LEFT JOIN site s ON s.id = i.site_id WHERE i.closed_at IS NULL`;
const SELECT_ONE = `${SELECT_OPEN} AND i.id = ?`;
const SELECT_OLDEST = `${SELECT_OPEN} ORDER BY i.id LIMIT ?`;

/** undefined where it is closed, or never was. */
function findOpenItem(tx: ReadTx, id: number): OpenItem | undefined {
  return tx.get<OpenItem>(SELECT_ONE, id);
}

/** What a person has to look at, oldest first. */
export function listOpenItems(tx: ReadTx, limit: number): readonly OpenItem[] {
  return tx.all<OpenItem>(SELECT_OLDEST, limit);
}

/**
 * A person has looked at an open item: it is closed, with a resolution and an act. A site that it stopped is bought from again. Not repeatable:
 * a second call finds it closed and throws. A report that waits for a word on itself is not settled by closing its item.
 */
export function closeItem(tx: Tx, { itemId, who, now }: Asked<"closeItem">): OpenItem {
  const item = findOpenItem(tx, itemId);
  if (item === undefined) {
    throw new LicetError("OPEN_ITEM_NOT_FOUND", `there is no open item ${itemId}`, {
      hint: describeId(tx, itemId),
      details: { itemId },
    });
  }
  const { batchId: reportId } = item;
  if (
    item.kind === "needs_reconcile" &&
    tx.value<string>`SELECT state FROM usage_batch WHERE id = ${reportId}` === "needs_reconcile"
  ) {
    throw new LicetError(
      "OPEN_ITEM_NEEDS_WORD",
      `open item ${itemId} is about a report that the gateway may have taken`,
      {
        hint: `Ask the gateway's operator, then: licet resolve ${reportId} --taken, or licet resolve ${reportId} --not-taken`,
        details: { itemId, batchId: reportId },
      },
    );
  }
  tx.run`UPDATE open_item SET closed_at = ${now} WHERE id = ${itemId}`;
  tx.run`INSERT INTO resolution (open_item_id, outcome, amount_micros, source, at) VALUES (${itemId}, 'closed', 0, 'operator', ${now})`;
  recordAct(tx, { kind: "item_closed", who, itemId, now });
  return item;
}

/**
 * What a person can resolve by this number, and how; or where the numbers stand. Ids of purchases, reports and open items are numbers alike: who
 * gives one of another kind is told which.
 */
export function describeId(tx: ReadTx, id: number): string {
  const ways = [
    ...(tx.has`SELECT 1 FROM purchase WHERE id = ${id} AND state = 'in_doubt'`
      ? ["a purchase in doubt (--charged or --not-charged)"]
      : []),
    ...(tx.has`SELECT 1 FROM usage_batch WHERE id = ${id} AND state = 'needs_reconcile'`
      ? ["a report to reconcile (--taken or --not-taken)"]
      : []),
    ...(tx.has`SELECT 1 FROM open_item WHERE id = ${id} AND closed_at IS NULL` ? ["an open item (--close)"] : []),
  ];
  const where = "`licet status` lists what can be resolved, with its number.";
  return ways.length === 0 ? where : `${id} is the number of ${ways.join(" and of ")}. ${where}`;
}
