/**
 * Stored pages of a site in the order in which their rights end, read in pieces: first those whose license names an end, then those that
 * a retention ends. Called within a read.
 */

import { type ContentTerms, type ExpiryPolicies, findRightsEnd, type RightsEnd } from "../../../rights/rights.ts";
import type { EndingCursor } from "../../rights-ledger.ts";
import type { ReadTx } from "../operation.ts";

export interface EndingPage extends ContentTerms {
  readonly pageId: number;
  readonly purchaseId: number;
  readonly url: string;
  readonly licenseId: number | null;
  readonly goneAt: number | null;
  readonly end: RightsEnd;
}

export interface EndingQuery {
  readonly siteId: number;
  readonly policies: ExpiryPolicies;
  readonly until: number;
  readonly after: EndingCursor | null;
  readonly limit: number;
}

export interface EndingPiece {
  readonly pages: readonly EndingPage[];
  /** Null: these were the last ones. */
  readonly next: EndingCursor | null;
}

/** SQL: the texts of a purchase `h` are not purged. An index answers it: the column is behind the texts. */
export const IS_NOT_PURGED =
  "NOT EXISTS (SELECT 1 FROM content x WHERE x.purchase_id = h.id AND x.purged_at IS NOT NULL)";

const COLUMNS = `p.id AS pageId, h.id AS purchaseId, p.url, p.gone_at AS goneAt, p.held_at AS boughtAt, h.policy_name AS policyName,
  h.valid_until_at AS validUntilAt, h.retention_ms AS retentionMs, h.license_id AS licenseId,
  (SELECT s.host FROM site s WHERE s.id = h.site_id) AS host`;

const FIRST: EndingCursor = { pass: "license", at: Number.MIN_SAFE_INTEGER, rowId: 0 };

const NO_RETENTION: RetentionSpan = { shortestMs: 0, longestMs: 0 };

type Row = Omit<EndingPage, "end">;

const PASSES = {
  license: `SELECT ${COLUMNS}, h.valid_until_at AS at FROM purchase h CROSS JOIN page p ON p.id = h.page_id AND p.held_purchase_id = h.id
    WHERE h.site_id = ? AND h.valid_until_at IS NOT NULL AND h.valid_until_at <= ? AND (h.valid_until_at, h.id) > (?, ?) AND ${IS_NOT_PURGED}
    ORDER BY h.valid_until_at, h.id LIMIT ?`,
  retention: `SELECT ${COLUMNS}, p.held_at AS at FROM page p CROSS JOIN purchase h ON h.id = p.held_purchase_id
    WHERE p.site_id = ? AND p.held_at IS NOT NULL AND p.held_at <= ? AND (p.held_at, p.id) > (?, ?) AND ${IS_NOT_PURGED}
    ORDER BY p.held_at, p.id LIMIT ?`,
} as const;

/** Reads one piece, of one of the two passes. */
export function readEndingPages(tx: ReadTx, { siteId, policies, until, after, limit }: EndingQuery): EndingPiece {
  const { pass, at, rowId } = after ?? FIRST;
  const span = pass === "retention" ? findRetentionSpan(tx, policies) : NO_RETENTION;
  if (span === null) {
    return { pages: [], next: null };
  }
  const rows = tx.all<Row & { readonly at: number }>(PASSES[pass], siteId, until - span.shortestMs, at, rowId, limit);
  const pages = rows.flatMap((row): EndingPage[] => {
    const end = findRightsEnd(row, policies);
    // A page that both passes meet belongs to the pass of what ends its rights.
    const isOfPass = end !== null && (end.why === "validUntil") === (pass === "license");
    return isOfPass && end.at <= until ? [{ ...row, end }] : [];
  });
  const last = rows.at(-1);
  if (last !== undefined && rows.length === limit) {
    const lastId = pass === "license" ? last.purchaseId : last.pageId;
    return { pages, next: { pass, at: last.at, rowId: lastId } };
  }
  return { pages, next: pass === "license" ? { ...FIRST, pass: "retention" } : null };
}

// Of policies that are gone, and of sites that the configuration does not have, what was recorded counts. From policy to policy in the index of retentions:
// one entry of it for each policy that ever was.
const SELECT_RETAINED = `WITH RECURSIVE retained(name) AS (
    SELECT min(policy_name) FROM purchase WHERE retention_ms IS NOT NULL
    UNION ALL SELECT (SELECT min(policy_name) FROM purchase WHERE retention_ms IS NOT NULL AND policy_name > retained.name) FROM retained WHERE retained.name IS NOT NULL)
  SELECT (SELECT min(retention_ms) FROM purchase WHERE retention_ms IS NOT NULL AND policy_name = retained.name) AS shortestMs,
    (SELECT max(retention_ms) FROM purchase WHERE retention_ms IS NOT NULL AND policy_name = retained.name) AS longestMs
  FROM retained WHERE retained.name IS NOT NULL`;

/** The retentions that can end anything. */
export interface RetentionSpan {
  readonly shortestMs: number;
  readonly longestMs: number;
}

/** Null: nothing is retained for a limited time. */
export function findRetentionSpan(tx: ReadTx, policies: ExpiryPolicies): RetentionSpan | null {
  const configured = Object.values(policies).flatMap(({ retentionMs }) => (retentionMs === null ? [] : [retentionMs]));
  const stored = tx.all<RetentionSpan>(SELECT_RETAINED).flatMap(({ shortestMs, longestMs }) => [shortestMs, longestMs]);
  const all = [...configured, ...stored];
  return all.length === 0 ? null : { shortestMs: Math.min(...all), longestMs: Math.max(...all) };
}
