import type { Currency } from "../../../money/money.ts";
import { toListedRates } from "../../../rates/listed-rate.ts";
import type { RateListing } from "../../../rates/rate.ts";
import type { ContentTerms } from "../../../rights/rights.ts";
import type { PageRecord } from "../../ledger-reports.ts";
import { desc, eq, sql } from "../engine/drizzle.ts";
import type { Asked, ReadTx } from "../operation.ts";
import { findPreviousVersion } from "../rights/renewals.ts";
import { denial, license, listing, rule } from "../schema/decisions.ts";
import { content } from "../schema/documents.ts";
import { page, site } from "../schema/pages.ts";
import { purchase } from "../schema/purchases.ts";
import { run } from "../schema/runs.ts";
import { findUseLicense } from "../usage/use-license.ts";
import { asked, columns, LICENSE, micros, parsed, type Queries, type ReportTx } from "./queries.ts";
import { readActsOf } from "./read-acts.ts";

/** Purchases and denials of one page that are read, the newest first. */
const MAX_HISTORY = 200;

/** What the ledger knows of a page, for `explain`: the version stored, and each decision with the rates it was made on. */
export function readPage(tx: ReportTx, url: Asked<"readPage">): PageRecord | null {
  const row = tx.row(selectPage, { url });
  if (row === undefined) {
    return null;
  }
  const { id, stored, ...known } = row;
  return {
    pageId: id,
    url,
    ...known,
    stored: readStored(tx, id, stored),
    purchases: tx.rows(selectPurchases, { pageId: id }).map(withListedRates),
    denials: tx.rows(selectDenials, { pageId: id }).map(withListedRates),
    acts: readActsOf(tx, id),
  };
}

function withListedRates<Row extends { readonly listing: RateListing | null }>(row: Row) {
  return { ...row, listing: row.listing === null ? null : toListedRates(row.listing) };
}

const selectPage = (queries: Queries) =>
  queries
    .select({
      id: page.id,
      host: site.host,
      wireUrl: sql<string>`coalesce(${page.wireUrl}, ${page.url})`,
      ...columns(page, "lastMod", "lastModAt", "goneAt"),
      stored: {
        purchaseId: page.storedPurchaseId,
        boughtAt: page.storedAt,
        lastMod: page.storedLastMod,
        lastModAt: page.storedLastModAt,
        datedAs: page.storedDatedAs,
        askedAt: sql<number | null>`coalesce(${purchase.askedAt}, ${purchase.startedAt})`,
        runBegunAt: run.startedAt,
        policyName: sql<string>`coalesce(${purchase.policyName}, '')`,
        ...columns(purchase, "validUntilAt", "retentionMs"),
        ...columns(content, "purgedAt", "purgeReason"),
      },
    })
    .from(page)
    .innerJoin(site, eq(site.id, page.siteId))
    .leftJoin(purchase, eq(purchase.id, page.storedPurchaseId))
    .leftJoin(run, eq(run.id, purchase.runId))
    .leftJoin(content, eq(content.purchaseId, page.storedPurchaseId))
    .where(eq(page.url, asked("url")));

type StoredRow = NonNullable<ReturnType<ReturnType<typeof selectPage>["get"]>>["stored"];

function readStored(tx: ReadTx, pageId: number, { purchaseId, boughtAt, ...version }: StoredRow): PageRecord["stored"] {
  if (purchaseId === null || boughtAt === null) {
    return null;
  }
  const license = findUseLicense(tx, pageId, purchaseId)?.license ?? null;
  const previous = toTerms(findPreviousVersion(tx, pageId, purchaseId));
  return { purchaseId, boughtAt, ...version, indexingOnly: license === null, license, previous };
}

/** The site of a page is that of each of its versions. */
function toTerms(version: ContentTerms | null): NonNullable<PageRecord["stored"]>["previous"] {
  if (version === null) {
    return null;
  }
  const { host: _, ...terms } = version;
  return terms;
}

const selectPurchases = (queries: Queries) =>
  queries
    .select({
      purchaseId: purchase.id,
      runId: run.name,
      ...columns(purchase, "state", "url", "ruleIndex"),
      rule: rule.text,
      policyName: purchase.policyName,
      quotedMicros: micros(purchase.quotedMicros),
      chargedMicros: micros(purchase.chargedMicros),
      currency: sql<Currency | null>`coalesce(${purchase.chargedCurrency}, ${purchase.currency})`,
      ...columns(purchase, "reason", "detail"),
      at: sql<number>`coalesce(${purchase.endedAt}, ${purchase.startedAt}, ${purchase.reservedAt})`,
      listing: parsed<RateListing | null>(listing.json),
      license: LICENSE,
    })
    .from(purchase)
    .innerJoin(run, eq(run.id, purchase.runId))
    .leftJoin(rule, eq(rule.id, purchase.ruleId))
    .leftJoin(license, eq(license.id, purchase.licenseId))
    .leftJoin(listing, eq(listing.id, purchase.listingId))
    .where(eq(purchase.pageId, asked("pageId")))
    .orderBy(desc(purchase.id))
    .limit(MAX_HISTORY);

const selectDenials = (queries: Queries) =>
  queries
    .select({
      runId: run.name,
      ...columns(denial, "reason", "ruleIndex", "policyName", "detail", "at"),
      listing: parsed<RateListing | null>(listing.json),
    })
    .from(denial)
    .innerJoin(run, eq(run.id, denial.runId))
    .leftJoin(listing, eq(listing.id, denial.listingId))
    .where(eq(denial.pageId, asked("pageId")))
    .orderBy(desc(denial.runId))
    .limit(MAX_HISTORY);
