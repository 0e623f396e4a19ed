import { and, asc, eq, gt, lte, sql } from "../engine/drizzle.ts";
import type { Answered, Asked } from "../operation.ts";
import { license, rule } from "../schema/decisions.ts";
import { content, derivedMarkdown } from "../schema/documents.ts";
import { page, site } from "../schema/pages.ts";
import { purchase } from "../schema/purchases.ts";
import { run } from "../schema/runs.ts";
import { asked, type Queries, type ReportTx } from "./queries.ts";
import { BOUGHT, IS_BOUGHT } from "./read-documents.ts";
import { findRun, matches } from "./read-run-purchases.ts";

/** Whether a newer version of the page is settled up to the end of the range. Content that comes late is an older version. */
const IS_SUPERSEDED = sql`exists (select 1 from ${purchase} newer
  where newer.page_id = ${page.id} and newer.id > ${purchase.id} and newer.document_number <= ${asked("throughSeq")})`;

/** Of a document: it is not NULL. */
const NUMBER = sql<number>`${purchase.documentNumber}`;

export function readSettled(tx: ReportTx, { runId, ...query }: Asked<"readSettled">): Answered<"readSettled"> {
  return tx.rows(selectSettled, { ...query, runRowId: runId === null ? null : findRun(tx, runId).id });
}

// CROSS JOIN keeps the order of the tables: document by document, and each other row by its key.
const selectSettled = (queries: Queries) =>
  queries
    .select({
      ...BOUGHT,
      seq: NUMBER,
      isMarkdownPending:
        sql<boolean>`${derivedMarkdown.purchaseId} is not null and ${derivedMarkdown.markdown} is null and ${derivedMarkdown.failure} is null`.mapWith(
          Boolean,
        ),
    })
    .from(purchase)
    .crossJoin(content)
    .crossJoin(page)
    .crossJoin(site)
    .crossJoin(run)
    .leftJoin(rule, eq(rule.id, purchase.ruleId))
    .leftJoin(license, eq(license.id, purchase.licenseId))
    .leftJoin(derivedMarkdown, eq(derivedMarkdown.purchaseId, purchase.id))
    .where(
      and(
        gt(purchase.documentNumber, asked("afterSeq")),
        lte(purchase.documentNumber, asked("throughSeq")),
        IS_BOUGHT,
        matches(site.host, "host"),
        matches(purchase.runId, "runRowId"),
        sql`(${asked("runRowId")} is not null or not ${IS_SUPERSEDED})`,
      ),
    )
    .orderBy(asc(purchase.documentNumber))
    .limit(asked("limit"));
