import type { Micros } from "../../../money/micros.ts";
import { toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import { textOf } from "../engine/compressed-text.ts";
import { and, asc, eq, gt, isNotNull, sql } from "../engine/drizzle.ts";
import type { Answered, Asked } from "../operation.ts";
import { storedAtSql } from "../purchases/stored-at.ts";
import { license, rule } from "../schema/decisions.ts";
import { content, derivedMarkdown } from "../schema/documents.ts";
import { page, site } from "../schema/pages.ts";
import { purchase } from "../schema/purchases.ts";
import { run } from "../schema/runs.ts";
import { asked, columns, LICENSE, type Queries, type ReportTx } from "./queries.ts";
import { findRun, IS_OF_RUN, matches } from "./read-run-purchases.ts";

/** A plan in the making says nothing of a page that is stored. */
const NEWEST_KEY = sql<
  string | null
>`(select l.key from listed_page l where l.page_id = ${page.id} and l.key is not null and not exists (select 1 from run k where k.id = l.run_id and k.kind = 'planning') order by l.run_id desc limit 1)`;
/** What the list says that brought the version. */
const OWN_KEY = sql`(select l.key from listed_page l where l.run_id = ${purchase.runId} and l.page_id = ${page.id})`;

/** What a purchase brought, with the license it came under. */
const DOCUMENT = {
  url: page.url,
  host: site.host,
  purchaseId: purchase.id,
  purchaseUrl: purchase.url,
  runId: run.name,
  intent: purchase.intent,
  rule: rule.text,
  priceMicros: sql<Micros | null>`case ${purchase.intent} when 'content' then ${purchase.chargedMicros} end`.mapWith(
    toMicros,
  ),
  currency: sql<Currency | null>`coalesce(${purchase.chargedCurrency}, ${purchase.currency})`,
  markdown: sql<string | null>`coalesce(${sql.raw(textOf("content", "markdown"))}, ${derivedMarkdown.markdown})`,
  html: sql<string | null>`${sql.raw(textOf("content", "html"))}`,
  ...columns(content, "header", "footer", "author", "description", "imageUrl", "modified", "published"),
  ...columns(content, "title", "contentHash"),
  conversionFailure: sql<string | null>`coalesce(${content.conversionFailure}, ${derivedMarkdown.failure})`,
  license: LICENSE,
  key: NEWEST_KEY,
  ...columns(purchase, "policyName", "validUntilAt", "retentionMs"),
};

/** Content that was purged is not given out any more. An index answers it: the column is behind the texts. */
const IS_NOT_PURGED = sql`not exists (select 1 from content x where x.purchase_id = ${purchase.id} and x.purged_at is not null)`;

/** The newest version of a page. */
const STORED = { ...DOCUMENT, pageId: page.id, lastMod: page.storedLastMod, boughtAt: sql<number>`${page.storedAt}` };

/** A version of a page, perhaps an older one. */
const BOUGHT_AT = sql<number>`case ${page.storedPurchaseId} when ${purchase.id} then ${page.storedAt} else ${sql.raw(storedAtSql("purchase"))} end`;
export const BOUGHT = {
  ...DOCUMENT,
  key: sql<string | null>`coalesce(${OWN_KEY}, ${NEWEST_KEY})`,
  lastMod: purchase.lastMod,
  boughtAt: BOUGHT_AT,
};

/** Stored pages in order of page, after one: the whole collection can be read in pieces while it grows. */
export function readDocuments(tx: ReportTx, { host, ...query }: Asked<"readDocuments">): Answered<"readDocuments"> {
  if (host === null) {
    return tx.rows(selectStored, { ...query, siteId: null });
  }
  const known = tx.row(selectSite, { host });
  return known === undefined ? [] : tx.rows(selectStored, { ...query, ...known });
}

// CROSS JOIN keeps the order of the tables: page by page, and each other row by its key.
const selectStored = (queries: Queries) =>
  queries
    .select(STORED)
    .from(page)
    .crossJoin(site)
    .crossJoin(purchase)
    .crossJoin(content)
    .crossJoin(run)
    .leftJoin(rule, eq(rule.id, purchase.ruleId))
    .leftJoin(license, eq(license.id, purchase.licenseId))
    .leftJoin(derivedMarkdown, eq(derivedMarkdown.purchaseId, purchase.id))
    .where(
      and(
        gt(page.id, asked("afterPageId")),
        isNotNull(page.storedPurchaseId),
        eq(page.siteId, sql`coalesce(${asked("siteId")}, ${page.siteId})`),
        isSince(page.storedAt),
        eq(site.id, page.siteId),
        eq(purchase.id, page.storedPurchaseId),
        eq(content.purchaseId, purchase.id),
        eq(run.id, purchase.runId),
        IS_NOT_PURGED,
      ),
    )
    .orderBy(asc(page.id))
    .limit(asked("limit"));

const selectSite = (queries: Queries) =>
  queries
    .select({ siteId: site.id })
    .from(site)
    .where(eq(site.host, asked("host")));

export function readRunDocuments(
  tx: ReportTx,
  { runId, afterPurchaseId, ...filters }: Asked<"readRunDocuments">,
): Answered<"readRunDocuments"> {
  const range = findRun(tx, runId);
  return tx.rows(selectOfRun, { ...filters, ...range, after: Math.max(range.after, afterPurchaseId) });
}

const selectOfRun = (queries: Queries) =>
  selectBought(queries)
    .where(and(IS_OF_RUN, IS_BOUGHT, matches(site.host, "host"), isSince(BOUGHT_AT)))
    .orderBy(asc(purchase.id))
    .limit(asked("limit"));

export function readDocument(tx: ReportTx, purchaseId: Asked<"readDocument">): Answered<"readDocument"> {
  return tx.row(selectOne, { purchaseId }) ?? null;
}

const selectOne = (queries: Queries) =>
  selectBought(queries).where(and(eq(purchase.id, asked("purchaseId")), IS_BOUGHT));

export const IS_BOUGHT = and(
  eq(content.purchaseId, purchase.id),
  eq(page.id, content.pageId),
  eq(site.id, page.siteId),
  eq(run.id, purchase.runId),
  IS_NOT_PURGED,
);

const isSince = (at: unknown) => sql`${at} >= coalesce(${asked("sinceAt")}, ${at})`;

/** Purchase by purchase, and each other row by its key. */
function selectBought(queries: Queries) {
  return queries
    .select(BOUGHT)
    .from(purchase)
    .crossJoin(content)
    .crossJoin(page)
    .crossJoin(site)
    .crossJoin(run)
    .leftJoin(rule, eq(rule.id, purchase.ruleId))
    .leftJoin(license, eq(license.id, purchase.licenseId))
    .leftJoin(derivedMarkdown, eq(derivedMarkdown.purchaseId, purchase.id))
    .$dynamic();
}
