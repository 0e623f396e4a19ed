/** Looks for stored documents: in an index where what is asked has one, and else from the newest document back, so many at once. */
import { toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { License } from "../../../rates/license.ts";
import type { DocumentSearch, DocumentsFound, FoundDocument } from "../../found-documents.ts";
import { findIndexed, findUnindexed } from "../evidence/index-hashes.ts";
import type { Asked } from "../operation.ts";
import type { ReportTx } from "./queries.ts";

/** Documents that one look takes. */
const MAX_LOOKED = 3_000;
/** Behind every URL with the same beginning. */
const LAST_CHARACTER = "\u{10ffff}";

type Query = Asked<"findDocuments">;

interface Row {
  readonly pageId: number;
  readonly number: number | null;
  readonly purchaseId: number;
  readonly url: string;
  readonly host: string;
  readonly title: string | null;
  readonly licenseType: string | null;
  readonly cuid: string | null;
  readonly licensePath: string | null;
  readonly permissions: string | null;
  readonly intent: "content" | "indexing";
  readonly chargedMicros: number | null;
  readonly currency: Currency | null;
  readonly boughtAt: number;
  readonly hash: string;
  readonly policyName: string;
  readonly validUntilAt: number | null;
  readonly retentionMs: number | null;
}

const COLUMNS = `g.id AS pageId, p.document_number AS number, p.id AS purchaseId, g.url, s.host, c.title, l.license_type AS licenseType, l.cuid,
  l.license_path AS licensePath, l.permissions, p.intent, p.charged_micros AS chargedMicros, coalesce(p.charged_currency, p.currency) AS currency,
  g.held_at AS boughtAt, c.content_hash AS hash, p.policy_name AS policyName, p.valid_until_at AS validUntilAt, p.retention_ms AS retentionMs`;

/** The newest version of a page, whose texts are there. */
const JOINED = `CROSS JOIN content c ON c.purchase_id = p.id CROSS JOIN site s ON s.id = g.site_id LEFT JOIN license l ON l.id = p.license_id
  WHERE g.held_purchase_id = p.id AND NOT EXISTS (SELECT 1 FROM content x WHERE x.purchase_id = p.id AND x.purged_at IS NOT NULL)`;

// The inner SELECT takes as many rows as one look may, whether or not a version of them is stored.
const BY_URL = `SELECT ${COLUMNS} FROM (SELECT id FROM page WHERE url >= @from AND url < @end AND url > @after ORDER BY url LIMIT ${MAX_LOOKED}) recent
  CROSS JOIN page g ON g.id = recent.id CROSS JOIN purchase p ON p.id = g.held_purchase_id ${JOINED} ORDER BY g.url`;
const LAST_BY_URL = `SELECT id, rows FROM (SELECT id, url, count(*) OVER () AS rows FROM
  (SELECT id, url FROM page WHERE url >= @from AND url < @end AND url > @after ORDER BY url LIMIT ${MAX_LOOKED}) recent) recent ORDER BY url DESC LIMIT 1`;
const BY_NUMBER = `SELECT ${COLUMNS} FROM purchase p CROSS JOIN page g ON g.id = p.page_id ${JOINED}
  AND p.document_number IS NOT NULL AND p.document_number < @before AND p.document_number >= @first ORDER BY p.document_number DESC`;
const BY_SITE = `SELECT ${COLUMNS} FROM page g CROSS JOIN purchase p ON p.id = g.held_purchase_id ${JOINED}
  AND g.site_id = @siteId AND g.held_at IS NOT NULL AND (g.held_at, g.id) < (@at, @id) ORDER BY g.held_at DESC, g.id DESC LIMIT ${MAX_LOOKED}`;
const BY_PURCHASE = `SELECT ${COLUMNS} FROM purchase p CROSS JOIN page g ON g.id = p.page_id ${JOINED} AND p.id = @purchaseId`;

export function findDocuments(tx: ReportTx, query: Query): DocumentsFound {
  if (query.hash !== null) {
    return findByHash(tx, query, query.hash);
  }
  if (query.url !== null) {
    return findByUrl(tx, query, query.url);
  }
  return query.host === null ? findNewest(tx, query) : findOfSite(tx, query, query.host);
}

/** By the index of hashes, and then among the documents that it does not have yet. */
function findByHash(tx: ReportTx, query: Query, hash: string): DocumentsFound {
  const after = query.after?.startsWith("h") ? idIn(query.after) : null;
  const indexed = after === null ? findIndexed(tx, hash, query.limit) : [];
  const { purchaseIds, looked, through } = findUnindexed(tx, hash, { after: after ?? 0, most: MAX_LOOKED });
  const rows = [...purchaseIds, ...indexed].flatMap((purchaseId) => tx.all<Row>(BY_PURCHASE, { purchaseId }));
  return {
    documents: rows.filter((row) => isMatch(row, query)).map(toFound),
    looked: looked + indexed.length,
    next: through === null ? null : `h${through}`,
  };
}

function findByUrl(tx: ReportTx, query: Query, url: string): DocumentsFound {
  const last = query.after?.startsWith("u")
    ? tx.value<string>("SELECT url FROM page WHERE id = ?", idIn(query.after))
    : "";
  const range = { from: url, end: url + LAST_CHARACTER, after: last ?? "" };
  const cursorOf = ({ pageId }: Pick<Row, "pageId">) => `u${pageId}`;
  const end = tx.get<{ readonly id: number; readonly rows: number }>(LAST_BY_URL, range);
  return collect(tx.iterate<Row>(BY_URL, range), query, {
    cursorOf,
    end: end?.rows === MAX_LOOKED ? cursorOf({ pageId: end.id }) : null,
  });
}

function findNewest(tx: ReportTx, query: Query): DocumentsFound {
  const newest = tx.value<number>("SELECT max(document_number) FROM purchase WHERE document_number IS NOT NULL") ?? 0;
  const before = query.after?.startsWith("n") ? idIn(query.after) : newest + 1;
  const first = before - MAX_LOOKED;
  return collect(tx.iterate<Row>(BY_NUMBER, { before, first }), query, {
    cursorOf: ({ number }) => `n${number}`,
    end: first > 1 ? `n${first}` : null,
  });
}

function findOfSite(tx: ReportTx, query: Query, host: string): DocumentsFound {
  const siteId = tx.value<number>("SELECT id FROM site WHERE host = ?", host) ?? 0;
  const [at = Number.MAX_SAFE_INTEGER, id = 0] = query.after?.startsWith("s")
    ? query.after.slice(1).split(".").map(Number)
    : [];
  return collect(tx.iterate<Row>(BY_SITE, { siteId, at, id }), query, {
    cursorOf: ({ boughtAt, pageId }) => `s${boughtAt}.${pageId}`,
    end: "last",
  });
}

const idIn = (cursor: string): number => Number(cursor.slice(1));

/** How a search goes on: behind a row, or, when all rows of this look are through, at `end`; `last` is behind the last row of a full look. */
interface Course {
  readonly cursorOf: (row: Row) => string;
  readonly end: string | null;
}

function collect(rows: IterableIterator<Row>, query: Query, { cursorOf, end }: Course): DocumentsFound {
  const documents: FoundDocument[] = [];
  let looked = 0;
  let last: Row | null = null;
  for (const row of rows) {
    looked += 1;
    last = row;
    if (isMatch(row, query)) {
      documents.push(toFound(row));
      if (documents.length === query.limit) {
        return { documents, looked, next: cursorOf(row) };
      }
    }
  }
  const isFull = looked === MAX_LOOKED && last !== null;
  return { documents, looked, next: end === "last" ? (isFull && last !== null ? cursorOf(last) : null) : end };
}

function isMatch(row: Row, { url, title, host, license }: DocumentSearch): boolean {
  return (
    (url === null || row.url.startsWith(url)) &&
    (host === null || row.host === host) &&
    (license === null || row.licenseType === license || row.cuid === license) &&
    (title === null || row.title?.toLowerCase().includes(title.toLowerCase()) === true)
  );
}

function toFound(row: Row): FoundDocument {
  const {
    pageId: _,
    number: __,
    licenseType,
    cuid,
    licensePath,
    permissions,
    intent,
    chargedMicros,
    hash,
    ...known
  } = row;
  return {
    ...known,
    license:
      licenseType === null
        ? null
        : ({ licenseType, cuid, licensePath, permissions: JSON.parse(permissions ?? "null") } as License),
    priceMicros: intent === "content" && chargedMicros !== null ? toMicros(chargedMicros) : null,
    hash: `sha256:${hash}`,
  };
}
