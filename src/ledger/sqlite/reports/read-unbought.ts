import type { RateListing } from "../../../rates/rate.ts";
import { and, asc, eq, ne } from "../engine/drizzle.ts";
import type { Answered, Asked } from "../operation.ts";
import { denial, listing } from "../schema/decisions.ts";
import { listedPage } from "../schema/lists.ts";
import { page, site } from "../schema/pages.ts";
import { asked, columns, micros, parsed, type Queries, type ReportTx } from "./queries.ts";
import { findRun } from "./read-run-purchases.ts";

/** The first pages of a run's list that the run did not buy, in the order of the list. */
export function readUnbought(
  tx: ReportTx,
  { runId, passedOver, limit }: Asked<"readUnbought">,
): Answered<"readUnbought"> {
  return tx.rows(selectUnbought, { runRowId: findRun(tx, runId).id, passedOver, limit }).map((row) => {
    const { maxPriceMicros, maxPriceCurrency, licenseType, licenseCuid, value, ...unbought } = row;
    return {
      ...unbought,
      terms: {
        maxPrice:
          maxPriceMicros === null || maxPriceCurrency === null
            ? null
            : { micros: maxPriceMicros, currency: maxPriceCurrency },
        license: licenseType === null ? null : { licenseType, cuid: licenseCuid },
        value,
      },
    };
  });
}

// CROSS JOIN keeps the order of the tables: line by line, and each denial by its key.
const selectUnbought = (queries: Queries) =>
  queries
    .select({
      url: page.url,
      host: site.host,
      ...columns(denial, "reason", "detail"),
      maxPriceMicros: micros(listedPage.maxPriceMicros),
      ...columns(listedPage, "maxPriceCurrency", "licenseType", "licenseCuid", "value"),
      listing: parsed<RateListing | null>(listing.json),
    })
    .from(listedPage)
    .crossJoin(denial)
    .crossJoin(page)
    .crossJoin(site)
    .leftJoin(listing, eq(listing.id, denial.listingId))
    .where(
      and(
        eq(listedPage.runId, asked("runRowId")),
        eq(denial.pageId, listedPage.pageId),
        eq(denial.runId, listedPage.runId),
        ne(denial.reason, asked("passedOver")),
        eq(page.id, listedPage.pageId),
        eq(site.id, page.siteId),
      ),
    )
    .orderBy(asc(listedPage.line))
    .limit(asked("limit"));
