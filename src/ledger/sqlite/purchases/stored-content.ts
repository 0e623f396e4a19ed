/** The content of a settled purchase, with the use that its fetch is. Called within a write. */
import type { Currency } from "../../../money/money.ts";
import type { ContentFormat, Intent } from "../../../policy/rule.ts";
import type { ContentRecord } from "../../purchase-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { accountOf, MONEY_ROW_COLUMNS, type MoneyRow } from "../money/purchase-money.ts";

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

/**
 * Stores content, marks the page as stored, records the fetch as a use where it is reported, and counts the page as acquired. If an
 * earlier version was bought and is stored, counts the page as bought again too.
 */
export function createContentStore(core: LedgerCore): (row: ContentRow, content: ContentRecord, now: number) => void {
  const insertContent = createContentInsert(core);
  const recordFetch = createFetchRecord(core);
  // An answer that comes late must not hide the newer version that was bought meanwhile.
  const markStored = core.db.prepare<[number, number, Intent, string | null, number | null, number, number]>(
    `UPDATE page SET held_purchase_id = ?, held_at = ?, held_intent = ?, held_last_mod = ?, held_last_mod_at = ?, held_dated_as = NULL
     WHERE id = ? AND coalesce(held_purchase_id, 0) < ?`,
  );
  const countAgain = createRepurchaseCount(core);
  return (row, content, now) => {
    const { purchaseId, pageId, intent, lastMod, lastModAt, licenseId, currency } = row;
    countAgain(row, content.contentHash);
    insertContent(row, content);
    markStored.run(purchaseId, now, intent, lastMod, lastModAt, pageId, purchaseId);
    if (row.reportsFetch === 1 && licenseId !== null && currency !== null) {
      recordFetch(row, licenseId, currency, now);
    }
    core.counters.add({ runRowId: row.runRowId, siteId: row.siteId, kind: "settled" }, 1);
  };
}

/**
 * Counts what is bought again, and how much of it equals the stored version: a catalog with meaningless dates costs money.
 */
function createRepurchaseCount(core: LedgerCore): (row: ContentRow, contentHash: string) => void {
  const selectStoredHash = core.db
    .prepare<[number, number], string>(
      `SELECT c.content_hash FROM page g JOIN content c ON c.purchase_id = g.held_purchase_id
       WHERE g.id = ? AND g.held_intent = 'content' AND g.held_purchase_id < ?`,
    )
    .pluck();
  return ({ runRowId, siteId, pageId, purchaseId, intent }, contentHash) => {
    const storedHash = intent === "content" ? selectStoredHash.get(pageId, purchaseId) : undefined;
    if (storedHash !== undefined) {
      core.counters.add({ runRowId, siteId, kind: "repurchased" }, 1);
      core.counters.add({ runRowId, siteId, kind: "repurchased_equal" }, storedHash === contentHash ? 1 : 0);
    }
  };
}

function createContentInsert(core: LedgerCore): (row: ContentRow, content: ContentRecord) => void {
  const insert = core.db.prepare(
    `INSERT INTO content (purchase_id, page_id, content_hash, title, author, description, image_url, modified, published,
       conversion_failure, markdown, html, header, footer) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertDerived = core.db.prepare<[number]>("INSERT INTO derived_markdown (purchase_id) VALUES (?)");
  return ({ purchaseId, pageId, format }, content) => {
    insert.run(
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
      insertDerived.run(purchaseId);
    }
  };
}

/** The use that a fetch is. What was set aside for its report stays reserved, as its own, in the same budget periods. */
function createFetchRecord(
  core: LedgerCore,
): (row: ContentRow, licenseId: number, currency: Currency, now: number) => void {
  const insert = core.db.prepare(
    `INSERT INTO use (run_id, site_id, page_id, purchase_id, kind, times, license_id, unit_micros, currency, billed, state,
       recorded_at, budget_at, used_at) VALUES (?, ?, ?, ?, 'fetch', 1, ?, ?, ?, ?, 'pending', ?, ?, ?)`,
  );
  return (row, licenseId, currency, now) => {
    const { runRowId, siteId, pageId, purchaseId, quotedMicros, useReserveMicros, reservedAt } = row;
    const billed = useReserveMicros > 0;
    const unitMicros = billed ? useReserveMicros : quotedMicros;
    insert.run(
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
      accountOf(core, row, currency).reservedMicros += useReserveMicros;
    }
    core.counters.add({ runRowId, siteId, kind: "use_recorded" }, 1);
  };
}
