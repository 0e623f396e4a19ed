/** All that is known of the versions of a page, or of those with one hash: also of what was purged. */
import type { Micros } from "../../../money/micros.ts";
import { toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import { toListedRates } from "../../../rates/listed-rate.ts";
import type { RateListing } from "../../../rates/rate.ts";
import type { UseState } from "../../../usage/use.ts";
import type { EvidenceReceipt, EvidenceUse, EvidenceVersion } from "../../evidence-ledger.ts";
import { and, asc, desc, eq, sql } from "../engine/drizzle.ts";
import { findFetchUse } from "../evidence/find-fetch-use.ts";
import { findHashed } from "../evidence/index-hashes.ts";
import type { Answered, Asked } from "../operation.ts";
import { storedAtSql } from "../purchases/stored-at.ts";
import { act, purgedContent } from "../schema/acts.ts";
import { license, listing, rule } from "../schema/decisions.ts";
import { content } from "../schema/documents.ts";
import { page, site } from "../schema/pages.ts";
import { purchase } from "../schema/purchases.ts";
import { run } from "../schema/runs.ts";
import { receipt, usageBatch, usageEntry, use } from "../schema/usage.ts";
import {
  asked,
  columns,
  isLiterally,
  LICENSE,
  micros,
  PLAIN_REPORT_OF_USE,
  parsed,
  type Queries,
  type ReportTx,
} from "./queries.ts";
import { readActsOf } from "./read-acts.ts";

export function readEvidence(
  tx: ReportTx,
  { url, hash, limit, usesLimit }: Asked<"readEvidence">,
): Answered<"readEvidence"> {
  const found =
    hash === undefined
      ? tx.rows(selectOfPage, { url, limit })
      : findHashed(tx, hash, limit).flatMap((purchaseId) => tx.rows(selectOne, { purchaseId }));
  const versions = found.map((row) => toVersion(tx, row, usesLimit));
  const pageIds = [...new Set(found.map(({ pageId }) => pageId))];
  const acts = pageIds.flatMap((pageId) => readActsOf(tx, pageId));
  return { versions, acts: acts.sort((a, b) => b.actId - a.actId) };
}

const BOUGHT_AT = sql<number>`case ${page.storedPurchaseId} when ${purchase.id} then ${page.storedAt} else ${sql.raw(storedAtSql("purchase"))} end`;

const VERSION = {
  pageId: page.id,
  documentNumber: purchase.documentNumber,
  url: page.url,
  host: site.host,
  purchaseId: purchase.id,
  boughtUrl: purchase.url,
  runId: run.name,
  ...columns(purchase, "intent", "format"),
  boughtAt: BOUGHT_AT,
  storedPurchaseId: page.storedPurchaseId,
  hash: sql<string>`'sha256:' || ${content.contentHash}`,
  ...columns(purchase, "policyName", "ruleIndex"),
  rule: rule.text,
  license: LICENSE,
  listing: parsed<RateListing | null>(listing.json),
  quotedMicros: micros(purchase.quotedMicros),
  quotedFeeMicros: micros(purchase.feeMicros),
  chargedMicros: micros(purchase.chargedMicros),
  chargedFeeMicros: micros(purchase.chargedFeeMicros),
  currency: sql<Currency | null>`coalesce(${purchase.chargedCurrency}, ${purchase.currency})`,
  requestId: purchase.requestId,
  ...columns(content, "published", "modified"),
  ...columns(purchase, "validUntilAt", "retentionMs"),
  ...columns(content, "purgedAt", "purgeReason"),
  purgedBy: act.actor,
  purgedFor: act.reason,
};

const selectOfPage = (queries: Queries) =>
  selectVersions(queries)
    .where(eq(page.url, asked("url")))
    .orderBy(desc(purchase.id))
    .limit(asked("limit"));

const selectOne = (queries: Queries) => selectVersions(queries).where(eq(purchase.id, asked("purchaseId")));

type VersionRow = NonNullable<ReturnType<ReturnType<typeof selectOne>["get"]>>;

function selectVersions(queries: Queries) {
  return queries
    .select(VERSION)
    .from(page)
    .innerJoin(site, eq(site.id, page.siteId))
    .innerJoin(purchase, eq(purchase.pageId, page.id))
    .innerJoin(content, eq(content.purchaseId, purchase.id))
    .innerJoin(run, eq(run.id, purchase.runId))
    .leftJoin(rule, eq(rule.id, purchase.ruleId))
    .leftJoin(license, eq(license.id, purchase.licenseId))
    .leftJoin(listing, eq(listing.id, purchase.listingId))
    .leftJoin(purgedContent, eq(purgedContent.purchaseId, purchase.id))
    .leftJoin(act, eq(act.id, purgedContent.actId))
    .$dynamic();
}

function toVersion(tx: ReportTx, row: VersionRow, usesLimit: number): EvidenceVersion {
  const {
    pageId,
    documentNumber,
    storedPurchaseId,
    listing: listed,
    purgedAt,
    purgeReason,
    purgedBy,
    purgedFor,
    ...known
  } = row;
  const { purchaseId, intent, quotedMicros } = known;
  const isNewest = storedPurchaseId === purchaseId;
  // A use of a page that was only indexed names no purchase: it is of the version that is stored.
  const of = { pageId, purchaseId, orNone: isNewest && intent === "indexing" ? 1 : 0 };
  const fetchUse = documentNumber === null ? null : findFetchUse(tx, documentNumber);
  const uses = [
    ...(fetchUse === null ? [] : tx.rows(selectUse, { useId: fetchUse })),
    ...tx.rows(selectLaterUses, { ...of, limit: usesLimit }),
  ];
  return {
    ...known,
    isNewest,
    listing: listed === null ? null : toListedRates(listed),
    tokenCapMicros: intent === "content" ? quotedMicros : null,
    purged: purgedAt === null ? null : { purgedAt, why: purgeReason ?? "", by: purgedBy, reason: purgedFor },
    uses: uses.map((one) => toUse(tx, one)),
    usesTotal: tx.row(countLaterUses, of)?.uses ?? 0,
  };
}

/** Whether a use stands in a plain report: its entry has no row, and is what the use is. */
const IS_PLAIN = sql`(${usageBatch.id} is not null and ${use.entryId} is null)`;

const USE = {
  useId: use.id,
  ...columns(use, "key", "kind", "times", "usedAt"),
  state: sql<UseState>`iif(${IS_PLAIN}, iif(${usageBatch.state} = 'settled', 'settled', 'batched'), ${use.state})`,
  unitMicros: micros(use.unitMicros),
  chargedMicros: micros(use.chargedMicros),
  currency: sql<Currency>`coalesce(${use.chargedCurrency}, ${use.currency})`,
  entryId: use.entryId,
  batchId: sql<number | null>`${usageBatch.id}`,
  idempotencyId: usageBatch.idempotencyId,
  expectedAt: usageBatch.receiptsAsExpectedAt,
  entryTimes: sql<number | null>`iif(${IS_PLAIN}, ${use.times}, ${usageEntry.times})`,
  entryUnitMicros: sql<number | null>`iif(${IS_PLAIN}, ${use.unitMicros}, ${usageEntry.unitMicros})`,
  entryCurrency: sql<Currency | null>`iif(${IS_PLAIN}, ${use.currency}, ${usageEntry.currency})`,
  entryLicense: license.licenseType,
  entryCuid: license.cuid,
};

const selectUse = (queries: Queries) => selectUses(queries).where(eq(use.id, asked("useId")));

const IS_LATER = and(
  isLiterally(use.kind, "use"),
  eq(use.pageId, asked("pageId")),
  sql`(${use.purchaseId} = ${asked("purchaseId")} or (${asked("orNone")} and ${use.purchaseId} is null))`,
);

const selectLaterUses = (queries: Queries) =>
  selectUses(queries).where(IS_LATER).orderBy(asc(use.id)).limit(asked("limit"));

const countLaterUses = (queries: Queries) => queries.select({ uses: sql<number>`count(*)` }).from(use).where(IS_LATER);

type UseRow = NonNullable<ReturnType<ReturnType<typeof selectUse>["get"]>>;

function selectUses(queries: Queries) {
  return queries
    .select(USE)
    .from(use)
    .innerJoin(license, eq(license.id, use.licenseId))
    .leftJoin(usageEntry, eq(usageEntry.id, use.entryId))
    .leftJoin(usageBatch, sql`${usageBatch.id} = coalesce(${usageEntry.batchId}, ${PLAIN_REPORT_OF_USE})`)
    .$dynamic();
}

function toUse(tx: ReportTx, row: UseRow): EvidenceUse {
  const { entryId, expectedAt, entryTimes, entryUnitMicros, entryCurrency, entryLicense, entryCuid, ...known } = row;
  const isExpected = expectedAt !== null && entryTimes !== null && entryUnitMicros !== null && entryCurrency !== null;
  // Receipts that said what the report says are one fact of the report.
  const asExpected = (): EvidenceReceipt[] =>
    isExpected
      ? [
          {
            perUnitMicros: toMicros(entryUnitMicros),
            totalMicros: toMicros(entryUnitMicros * entryTimes) as Micros,
            currency: entryCurrency,
            licenseType: entryLicense,
            licenseCuid: entryCuid,
            error: null,
            at: expectedAt,
          },
        ]
      : [];
  const written = entryId === null ? [] : tx.rows(selectReceipts, { entryId });
  return { ...known, receipts: written.length > 0 ? written : asExpected() };
}

const selectReceipts = (queries: Queries) =>
  queries
    .select({
      perUnitMicros: micros(receipt.perUnitMicros),
      totalMicros: micros(receipt.totalMicros),
      ...columns(receipt, "currency", "licenseType", "licenseCuid", "error", "at"),
    })
    .from(receipt)
    .where(eq(receipt.entryId, asked("entryId")))
    .orderBy(asc(receipt.id));
