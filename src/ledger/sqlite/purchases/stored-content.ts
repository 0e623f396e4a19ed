/** The content of a settled purchase, with the use that its fetch is. Called within a write. */

import type { Currency } from "../../../money/money.ts";
import type { ContentFormat, Intent } from "../../../policy/rule.ts";
import type { ContentRecord } from "../../purchase-ledger.ts";
import { accountOf, MONEY_ROW_COLUMNS, type MoneyRow } from "../money/purchase-money.ts";
import type { Tx } from "../tx.ts";

export interface ContentRow extends MoneyRow {
  readonly purchaseId: number;
  readonly pageId: number;
  readonly intent: Intent;
  readonly format: ContentFormat;
  readonly reportsFetch: number;
  readonly licenseId: number | null;
  readonly lastMod: string | null;
  readonly lastModAt: number | null;
}

/** The columns of purchase that make a ContentRow, for SELECT and RETURNING. */
export const CONTENT_ROW_COLUMNS = `id AS purchaseId, page_id AS pageId, intent, format, reports_fetch AS reportsFetch, license_id AS licenseId,
  ${MONEY_ROW_COLUMNS}, last_mod AS lastMod, last_mod_at AS lastModAt`;

// An answer that comes late must not hide the newer version that was bought meanwhile.
const MARK_STORED = `UPDATE page SET held_purchase_id = ?, held_at = ?, held_intent = ?, held_last_mod = ?, held_last_mod_at = ?, held_dated_as = NULL
  WHERE id = ? AND coalesce(held_purchase_id, 0) < ?`;

/**
 * Stores content, marks the page as stored, records the fetch as a use where it is reported, and counts the page as acquired. If an
 * earlier version was bought and is stored, counts the page as bought again too.
 */
export function storeContent(tx: Tx, row: ContentRow, content: ContentRecord, now: number): void {
  const { purchaseId, pageId, intent, lastMod, lastModAt, licenseId, currency } = row;
  countRepurchase(tx, row, content.contentHash);
  insertContent(tx, row, content);
  tx.run(MARK_STORED, purchaseId, now, intent, lastMod, lastModAt, pageId, purchaseId);
  if (row.reportsFetch === 1 && licenseId !== null && currency !== null) {
    recordFetch(tx, row, licenseId, currency, now);
  }
  tx.counters.add({ runRowId: row.runRowId, siteId: row.siteId, kind: "settled" }, 1);
}

const SELECT_STORED_HASH = `SELECT c.content_hash FROM page g JOIN content c ON c.purchase_id = g.held_purchase_id
  WHERE g.id = ? AND g.held_intent = 'content' AND g.held_purchase_id < ?`;

/**
 * Counts what is bought again, and how much of it equals the stored version: a catalog with meaningless dates costs money.
 */
function countRepurchase(
  tx: Tx,
  { runRowId, siteId, pageId, purchaseId, intent }: ContentRow,
  contentHash: string,
): void {
  const storedHash = intent === "content" ? tx.value<string>(SELECT_STORED_HASH, pageId, purchaseId) : undefined;
  if (storedHash !== undefined) {
    tx.counters.add({ runRowId, siteId, kind: "repurchased" }, 1);
    tx.counters.add({ runRowId, siteId, kind: "repurchased_equal" }, storedHash === contentHash ? 1 : 0);
  }
}

function insertContent(tx: Tx, { purchaseId, pageId, format }: ContentRow, content: ContentRecord): void {
  tx.run(
    `INSERT INTO content (purchase_id, page_id, content_hash, title, author, description, image_url, modified, published,
     conversion_failure, markdown, html, header, footer) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    purchaseId,
    pageId,
    content.contentHash,
    content.title,
    content.author,
    content.description,
    content.imageUrl,
    content.modified,
    content.published,
    content.conversionFailure,
    content.markdown,
    content.html,
    content.header,
    content.footer,
  );
  if (format === "both" && content.html !== null && content.markdown === null && content.conversionFailure === null) {
    tx.run("INSERT INTO derived_markdown (purchase_id) VALUES (?)", purchaseId);
  }
}

/** The use that a fetch is. What was set aside for its report stays reserved, as its own, in the same budget periods. */
function recordFetch(tx: Tx, row: ContentRow, licenseId: number, currency: Currency, now: number): void {
  const { runRowId, siteId, pageId, purchaseId, quotedMicros, useReserveMicros, reservedAt } = row;
  const billed = useReserveMicros > 0;
  const unitMicros = billed ? useReserveMicros : quotedMicros;
  tx.run(
    `INSERT INTO use (run_id, site_id, page_id, purchase_id, kind, times, license_id, unit_micros, currency, billed, state,
     recorded_at, budget_at, used_at) VALUES (?, ?, ?, ?, 'fetch', 1, ?, ?, ?, ?, 'pending', ?, ?, ?)`,
    runRowId,
    siteId,
    pageId,
    purchaseId,
    licenseId,
    unitMicros,
    currency,
    billed ? 1 : 0,
    now,
    reservedAt,
    now,
  );
  if (billed) {
    accountOf(tx, row, currency).reservedMicros += useReserveMicros;
  }
  tx.counters.add({ runRowId, siteId, kind: "use_recorded" }, 1);
}
