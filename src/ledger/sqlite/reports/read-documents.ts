import type { Micros } from "../../../money/micros.ts";
import { toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { Ledger } from "../../ledger.ts";
import { and, asc, eq, gt, isNotNull, sql } from "../engine/drizzle.ts";
import { content } from "../schema/content.ts";
import { derivedMarkdown } from "../schema/derived-markdown.ts";
import { license } from "../schema/license.ts";
import { page } from "../schema/page.ts";
import { purchase } from "../schema/purchase.ts";
import { rule } from "../schema/rule.ts";
import { run } from "../schema/run.ts";
import { site } from "../schema/site.ts";
import { LICENSE, type ReportDeps } from "./queries.ts";

/** A page whose content is stored, with the license it came under. */
const DOCUMENT = {
  pageId: page.id,
  url: page.url,
  host: site.host,
  purchaseId: purchase.id,
  purchaseUrl: purchase.url,
  runId: run.name,
  intent: purchase.intent,
  rule: rule.text,
  lastMod: page.storedLastMod,
  settledAt: sql<number>`${page.storedAt}`,
  priceMicros: sql<Micros | null>`case ${purchase.intent} when 'content' then ${purchase.chargedMicros} end`.mapWith(
    toMicros,
  ),
  currency: sql<Currency | null>`coalesce(${purchase.chargedCurrency}, ${purchase.currency})`,
  markdown: sql<string | null>`coalesce(${content.markdown}, ${derivedMarkdown.markdown})`,
  html: content.html,
  header: content.header,
  footer: content.footer,
  author: content.author,
  description: content.description,
  imageUrl: content.imageUrl,
  modified: content.modified,
  published: content.published,
  title: content.title,
  contentHash: content.contentHash,
  conversionFailure: sql<string | null>`coalesce(${content.conversionFailure}, ${derivedMarkdown.failure})`,
  license: LICENSE,
};

/** Stored pages in order of page, after one: the whole collection can be read in pieces while it grows. */
export function createReadDocuments({ queries, read }: ReportDeps): Ledger["readDocuments"] {
  // CROSS JOIN keeps the order of the tables: page by page, and each other row by its key.
  const select = queries
    .select(DOCUMENT)
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
        gt(page.id, sql.placeholder("afterPageId")),
        isNotNull(page.storedPurchaseId),
        eq(page.siteId, sql`coalesce(${sql.placeholder("siteId")}, ${page.siteId})`),
        eq(site.id, page.siteId),
        eq(purchase.id, page.storedPurchaseId),
        eq(content.purchaseId, purchase.id),
        eq(run.id, purchase.runId),
      ),
    )
    .orderBy(asc(page.id))
    .limit(sql.placeholder("limit"))
    .prepare();
  const selectSite = queries
    .select({ siteId: site.id })
    .from(site)
    .where(eq(site.host, sql.placeholder("host")))
    .prepare();
  return ({ host, afterPageId, limit }) =>
    read(() => {
      if (host === null) {
        return select.all({ siteId: null, afterPageId, limit });
      }
      const known = selectSite.get({ host });
      return known === undefined ? [] : select.all({ ...known, afterPageId, limit });
    });
}
