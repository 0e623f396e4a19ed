import { toMicros } from "../../../money/micros.ts";
import type { License } from "../../../rates/license.ts";
import type { Ledger } from "../../ledger.ts";
import type { HeldDocument } from "../../ledger-reports.ts";
import type { LedgerCore } from "../ledger-core.ts";

type PagedDocument = HeldDocument & { readonly pageId: number };

interface DocumentRow extends Omit<PagedDocument, "license" | "priceMicros"> {
  readonly priceMicros: number | null;
  readonly licenseType: string | null;
  readonly cuid: string | null;
  readonly licensePath: string | null;
  readonly permissions: string | null;
}

/** The column of every page whose content is held, with the licence it came under. */
const DOCUMENT = `
  g.id AS pageId, g.url, s.host, p.id AS purchaseId, p.url AS purchaseUrl, r.name AS runId, p.intent, q.text AS rule, g.held_last_mod AS lastMod, g.held_at AS settledAt,
  CASE p.intent WHEN 'content' THEN p.charged_micros END AS priceMicros, coalesce(p.charged_currency, p.currency) AS currency,
  l.license_type AS licenseType, l.cuid, l.license_path AS licensePath, l.permissions,
  coalesce(c.markdown, d.markdown) AS markdown, c.html, c.header, c.footer, c.author, c.description, c.image_url AS imageUrl,
  c.modified, c.published, c.title, c.content_hash AS contentHash, coalesce(c.conversion_failure, d.failure) AS conversionFailure`;

/** Held pages in order of page, after one: the whole collection can be read in pieces while it grows. */
export function createReadDocuments({ db, read }: LedgerCore): Ledger["readDocuments"] {
  const select = db.prepare<[number, string | null, number], DocumentRow>(
    `SELECT ${DOCUMENT}
     FROM page g CROSS JOIN site s ON s.id = g.site_id CROSS JOIN purchase p ON p.id = g.held_purchase_id
       CROSS JOIN content c ON c.purchase_id = p.id CROSS JOIN run r ON r.id = p.run_id
       LEFT JOIN rule q ON q.id = p.rule_id LEFT JOIN license l ON l.id = p.license_id
       LEFT JOIN derived_markdown d ON d.purchase_id = p.id
     WHERE g.id > ? AND g.held_purchase_id IS NOT NULL AND g.site_id = coalesce((SELECT id FROM site WHERE host = ?), g.site_id)
     ORDER BY g.id LIMIT ?`,
  );
  const isKnownHost = db.prepare<[string], number>("SELECT 1 FROM site WHERE host = ?").pluck();
  return ({ host, afterPageId, limit }) =>
    read(() => {
      if (host !== null && isKnownHost.get(host) === undefined) {
        return [];
      }
      return select.all(afterPageId, host, limit).map(toDocument);
    });
}

function toDocument({ licenseType, cuid, licensePath, permissions, ...row }: DocumentRow): PagedDocument {
  const license =
    licenseType === null
      ? null
      : { licenseType, cuid, licensePath, permissions: JSON.parse(permissions ?? "[]") as License["permissions"] };
  return { ...row, priceMicros: row.priceMicros === null ? null : toMicros(row.priceMicros), license };
}
