/** The content of a settled purchase, with the use that its fetch is. Called within a write. */

import type { Currency } from "../../../money/money.ts";
import type { ContentFormat, Intent } from "../../../policy/rule.ts";
import type { SettledContent } from "../../purchase-ledger.ts";
import { compressText } from "../engine/compressed-text.ts";
import { MONEY_ROW_COLUMNS, type MoneyRow } from "../money/purchase-money.ts";
import type { Tx } from "../operation.ts";
import { insertUse } from "../usage/use-rows.ts";

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

/** The columns of purchase that make a ContentRow. */
export const CONTENT_ROW_COLUMNS = `id AS purchaseId, page_id AS pageId, intent, format, reports_fetch AS reportsFetch, license_id AS licenseId,
  ${MONEY_ROW_COLUMNS}, last_mod AS lastMod, last_mod_at AS lastModAt`;

/**
 * Stores content, marks the page as stored, and records the fetch as a use where it is reported. If
 * an earlier version was bought and is stored, counts the page as bought again.
 */
export function storeContent(tx: Tx, row: ContentRow, content: SettledContent, now: number): void {
  const { purchaseId, pageId, intent, lastMod, lastModAt, licenseId, currency } = row;
  insertContent(tx, row, content);
  // Most pages hold nothing yet: the statement that marks them is all that is asked of them.
  const isFirst = tx.run(HOLD_FIRST, purchaseId, now, intent, lastMod, lastModAt, pageId).changes === 1;
  if (isFirst) {
    tx.counters.addToLedger("page_held", 1);
  } else {
    const stored = tx.get<StoredVersion>(SELECT_STORED, pageId);
    // An answer that comes late must not hide the newer version that was bought meanwhile.
    if (stored !== undefined && stored.purchaseId < purchaseId) {
      countRepurchase(tx, row, content.contentHash, stored);
      tx.run(HOLD, purchaseId, now, intent, lastMod, lastModAt, pageId);
    }
  }
  if (row.reportsFetch === 1 && licenseId !== null && currency !== null) {
    recordFetch(tx, row, licenseId, currency, now);
  }
}

const HOLD = `UPDATE page SET held_purchase_id = ?, held_at = ?, held_intent = ?, held_last_mod = ?, held_last_mod_at = ?, held_dated_as = NULL
  WHERE id = ?`;

const HOLD_FIRST = `${HOLD} AND held_purchase_id IS NULL`;

const SELECT_STORED = `SELECT g.held_purchase_id AS purchaseId, g.held_intent AS intent, c.content_hash AS contentHash
  FROM page g LEFT JOIN content c ON c.purchase_id = g.held_purchase_id WHERE g.id = ?`;

/** The version that a page holds. */
interface StoredVersion {
  readonly purchaseId: number;
  readonly intent: Intent;
  readonly contentHash: string;
}

/** Counts what is bought again, and how much of it equals the stored version: a catalog with meaningless dates costs money. */
function countRepurchase(
  tx: Tx,
  { runRowId, siteId, intent }: ContentRow,
  contentHash: string,
  stored: StoredVersion,
): void {
  if (intent === "content" && stored.intent === "content") {
    tx.counters.add({ runRowId, siteId, kind: "repurchased" }, 1);
    tx.counters.add({ runRowId, siteId, kind: "repurchased_equal" }, stored.contentHash === contentHash ? 1 : 0);
  }
}

function insertContent(tx: Tx, { purchaseId, pageId, format }: ContentRow, content: SettledContent): void {
  const { markdown, html } = content;
  const [plain, zstd] = tx.compressesTexts
    ? [NO_TEXTS, { markdown: compressed(markdown), html: compressed(html) }]
    : [{ markdown, html }, NO_TEXTS];
  tx.run`INSERT INTO content (purchase_id, page_id, content_hash, title, author, description, image_url, modified, published,
     conversion_failure, markdown, html, markdown_zstd, html_zstd, header, footer) VALUES (${purchaseId}, ${pageId}, ${content.contentHash}, ${content.title},
     ${content.author}, ${content.description}, ${content.imageUrl}, ${content.modified}, ${content.published},
     ${content.conversionFailure}, CAST(${plain.markdown} AS TEXT), CAST(${plain.html} AS TEXT), ${zstd.markdown}, ${zstd.html}, ${content.header}, ${content.footer})`;
  if (format === "both" && content.html !== null && content.markdown === null && content.conversionFailure === null) {
    tx.run`INSERT INTO derived_markdown (purchase_id) VALUES (${purchaseId})`;
  }
}

const NO_TEXTS = { markdown: null, html: null };

function compressed(text: string | Uint8Array | null): Uint8Array | null {
  return text === null ? null : compressText(text);
}

/** The use that a fetch is. What the purchase had set aside for its report is set aside as its own, in the same budget periods. */
function recordFetch(tx: Tx, row: ContentRow, licenseId: number, currency: Currency, now: number): void {
  const { runRowId, siteId, pageId, purchaseId, quotedMicros, useReserveMicros, reservedAt } = row;
  const billed = useReserveMicros > 0;
  insertUse(tx, {
    key: null,
    runRowId,
    siteId,
    pageId,
    purchaseId,
    kind: "fetch",
    times: 1,
    licenseId,
    unitMicros: billed ? useReserveMicros : quotedMicros,
    currency,
    billed,
    state: "pending",
    recordedAt: now,
    budgetAt: reservedAt,
    usedAt: now,
  });
}
