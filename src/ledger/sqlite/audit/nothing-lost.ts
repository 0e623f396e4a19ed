/** Promise 4: content, charge and use are there together; and the content is still what was paid for. */
import { hashContent } from "../../../content/content-hash.ts";
import { decompressText } from "../engine/compressed-text.ts";
import { type Audited, checksOf } from "./audited.ts";

/** Resolved by hand as charged: the content never came. */
const CONTENT_NEVER_CAME =
  "EXISTS (SELECT 1 FROM resolution r WHERE r.purchase_id = p.id AND r.outcome = 'charged' AND r.source = 'operator') AND NOT EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = p.id)";

/** Markdown is derived later from what was fetched as HTML for both, but for what was derived or given up at the settlement. */
const IS_DERIVED_LATER =
  "p.format = 'both' AND coalesce(c.html, c.html_zstd) IS NOT NULL AND coalesce(c.markdown, c.markdown_zstd) IS NULL AND c.conversion_failure IS NULL";

// NOT IN, where no index leads from a purchase to its use: the list is read once, not once a purchase.
export const NOTHING_LOST = checksOf(4, [
  `SELECT format('purchase %d is settled without content', p.id) FROM purchase p
   WHERE p.state = 'settled' AND NOT EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = p.id) AND NOT (${CONTENT_NEVER_CAME})`,
  `SELECT format('purchase %d is settled and its use is not recorded', p.id) FROM purchase p
   WHERE p.state = 'settled' AND p.intent = 'content' AND p.reports_fetch = 1 AND NOT (${CONTENT_NEVER_CAME})
     AND p.id NOT IN (SELECT purchase_id FROM use WHERE kind = 'fetch' AND purchase_id IS NOT NULL)`,
  "SELECT format('the fetch of purchase %d is recorded as a use, and it reports none', p.id) FROM use u JOIN purchase p ON p.id = u.purchase_id WHERE u.kind = 'fetch' AND (p.reports_fetch = 0 OR p.intent = 'indexing')",
  "SELECT format('the fetch of purchase %d is recorded as a use, and its content never came', u.purchase_id) FROM use u WHERE u.kind = 'fetch' AND NOT EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = u.purchase_id)",
  "SELECT format('content of purchase %d is there, and the purchase is %s', c.purchase_id, coalesce(p.state, 'not')) FROM content c LEFT JOIN purchase p ON p.id = c.purchase_id WHERE p.state IS NOT 'settled'",
  "SELECT format('content of purchase %d is kept for another page', c.purchase_id) FROM content c JOIN purchase p ON p.id = c.purchase_id WHERE p.page_id <> c.page_id",
  "SELECT format('purchase %d asked for Markdown, and its content has HTML', p.id) FROM content c JOIN purchase p ON p.id = c.purchase_id WHERE p.format = 'markdown' AND coalesce(c.html, c.html_zstd) IS NOT NULL",
  "SELECT format('purchase %d asked for %s, and its content has Markdown of its own or says why not', p.id, p.format) FROM content c JOIN purchase p ON p.id = c.purchase_id WHERE (p.format = 'html' AND coalesce(c.markdown, c.markdown_zstd) IS NOT NULL) OR (p.format <> 'both' AND c.conversion_failure IS NOT NULL)",
  `SELECT format('no Markdown will be derived for purchase %d', p.id) FROM content c JOIN purchase p ON p.id = c.purchase_id
   WHERE ${IS_DERIVED_LATER} AND NOT EXISTS (SELECT 1 FROM derived_markdown d WHERE d.purchase_id = p.id)`,
  `SELECT format('Markdown is derived for purchase %d, which has its own or asks for none', p.id) FROM derived_markdown d JOIN content c ON c.purchase_id = d.purchase_id JOIN purchase p ON p.id = c.purchase_id
   WHERE NOT (${IS_DERIVED_LATER})`,
  "SELECT format('content of purchase %d was purged, and nothing says why or when', purchase_id) FROM content WHERE (purged_at IS NULL) <> (coalesce(purge_reason, '') = '')",
  `SELECT format('content of purchase %d was purged, and some of its texts are there', purchase_id) FROM content
   WHERE purged_at IS NOT NULL AND coalesce(markdown, html, markdown_zstd, html_zstd, header, footer, title, author, description, image_url) IS NOT NULL`,
  "SELECT format('a text of purchase %d is there twice, once as zstd', purchase_id) FROM content WHERE (markdown IS NOT NULL AND markdown_zstd IS NOT NULL) OR (html IS NOT NULL AND html_zstd IS NOT NULL)",
  findChangedContent,
]);

interface ContentRow {
  readonly purchaseId: number;
  readonly contentHash: string;
  readonly header: string | null;
  /** Compressed, where it is bytes. */
  readonly body: string | Uint8Array | null;
  readonly footer: string | null;
}

/** Purged content has no texts; its hash stays as evidence. The hash covers the sections as fetched: the Markdown where that was asked for, else the HTML. */
function* findChangedContent({ db }: Audited): Iterable<string> {
  const rows = db.prepare<[], ContentRow>(
    `SELECT c.purchase_id AS purchaseId, c.content_hash AS contentHash, c.header, c.footer,
            CASE p.format WHEN 'markdown' THEN coalesce(c.markdown, c.markdown_zstd) ELSE coalesce(c.html, c.html_zstd) END AS body
     FROM content c JOIN purchase p ON p.id = c.purchase_id WHERE c.purged_at IS NULL`,
  );
  for (const { purchaseId, contentHash, header, body, footer } of rows.iterate()) {
    const text = readText(body);
    if (text === null || hashContent({ header: header ?? "", body: text, footer: footer ?? "" }) !== contentHash) {
      yield `the content of purchase ${purchaseId} is no longer what was bought: its hash differs`;
    }
  }
}

/** Null: it is compressed, and cannot be read. */
function readText(body: ContentRow["body"]): string | null {
  if (body === null || typeof body === "string") {
    return body ?? "";
  }
  try {
    return decompressText(body);
  } catch {
    return null;
  }
}
