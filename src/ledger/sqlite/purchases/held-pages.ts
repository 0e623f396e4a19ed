import { toMicros } from "../../../money/micros.ts";
import type { HeldPage } from "../../fetch-ledger.ts";
import type { StoredDocument } from "../../ledger-reports.ts";
import { textOf } from "../engine/compressed-text.ts";
import type { Answered, Asked, ReadTx } from "../operation.ts";

interface HeldRow extends Omit<HeldPage, "document">, Omit<StoredDocument, "license" | "priceMicros"> {
  readonly priceMicros: number | null;
  readonly licenseId: number | null;
}

const SELECT_HELD = `SELECT g.url, s.host, p.id AS purchaseId, p.url AS purchaseUrl, r.name AS runId, p.intent, ru.text AS rule,
     CASE p.intent WHEN 'content' THEN p.charged_micros END AS priceMicros,
     coalesce(p.charged_currency, p.currency) AS currency, g.held_last_mod AS lastMod, g.held_at AS boughtAt,
     (SELECT w.key FROM listed_page w WHERE w.page_id = g.id AND w.key IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM run k WHERE k.id = w.run_id AND k.kind = 'planning') ORDER BY w.run_id DESC LIMIT 1) AS key,
     coalesce(${textOf("c", "markdown")}, d.markdown) AS markdown, ${textOf("c", "html")} AS html, c.header, c.footer, c.author, c.description, c.image_url AS imageUrl,
     c.modified, c.published, c.title, c.content_hash AS contentHash, coalesce(c.conversion_failure, d.failure) AS conversionFailure,
     p.license_id AS licenseId, p.policy_name AS policyName, p.valid_until_at AS validUntilAt, p.retention_ms AS retentionMs, c.purged_at AS purgedAt
   FROM page g JOIN purchase p ON p.id = g.held_purchase_id JOIN content c ON c.purchase_id = p.id
     JOIN run r ON r.id = p.run_id JOIN site s ON s.id = g.site_id
     LEFT JOIN rule ru ON ru.id = p.rule_id LEFT JOIN derived_markdown d ON d.purchase_id = p.id
   WHERE g.url = ?`;

/**
 * Reads: page, purchase, content, and their names. A prepared statement and not a report: the first report of a process loads drizzle, which
 * takes longer than the answer (reports/read-documents.ts has the same columns; the contract compares both).
 */
export function findHeld(tx: ReadTx, { urls }: Asked<"findHeld">): Answered<"findHeld"> {
  return urls.flatMap((url) => {
    const row = tx.get<HeldRow>(SELECT_HELD, url);
    return row === undefined ? [] : [toHeldPage(tx, row)];
  });
}

function toHeldPage(tx: ReadTx, { purgedAt, licenseId, priceMicros: price, ...row }: HeldRow): HeldPage {
  const license = licenseId === null ? null : tx.lookups.license(licenseId);
  return { document: { ...row, license, priceMicros: price === null ? null : toMicros(price) }, purgedAt };
}
