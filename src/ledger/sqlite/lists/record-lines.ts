import { isWorthQuoting } from "../../../catalog/freshness.ts";
import { assertBug } from "../../../errors.ts";
import type { LinesRecord, LinesRecorded, ListedPage, RejectedLine } from "../../list-ledger.ts";
import { findOrInsertPage, storedFor } from "../frontier/catalog-pages.ts";
import type { FillingBatch } from "../frontier/quote-filling.ts";
import { finishFilling, resumeFilling } from "../frontier/quote-filling.ts";
import { lookForTwoSchemes } from "../frontier/two-schemes.ts";
import type { Asked, Tx } from "../operation.ts";
import { markRenewals, type RenewalMark } from "../rights/renewals.ts";
import { findOwnRun } from "../runs/own-run.ts";
import type { MET_STATES } from "../schema/lists.ts";

type MetState = (typeof MET_STATES)[number];

const STALE: LinesRecorded = { stale: true, sites: [] };

/**
 * Reads: run, run_list, run_site. Writes: page, listed_page, frontier, batch, tally, rejected_line, rejected_line_total, run_list, in one
 * transaction. Idempotent by position: lines that are not the next ones are passed over.
 */
export function recordLines(tx: Tx, record: Asked<"recordLines">): LinesRecorded {
  const { runId, process, linesBefore, lines, digest, isRead } = record;
  const runRowId = findOwnRun(tx, { runId, process });
  const isNext = "SELECT 1 FROM run_list WHERE run_id = ? AND is_read = 0 AND lines_read = ?";
  if (runRowId === null || tx.value<number>(isNext, runRowId, linesBefore) === undefined) {
    return STALE;
  }
  const sites = openSites(tx, runRowId, record);
  let repeated = 0;
  for (const page of record.pages) {
    const site = sites.get(page.host);
    assertBug(site !== undefined, "the page of a list is of a site of its run");
    repeated += recordListedPage(tx, runRowId, site, page, record.now) ? 0 : 1;
  }
  for (const site of sites.values()) {
    site.quotes.done();
    for (const kind of ["seen", "unchanged", "excluded"] as const) {
      tx.counters.add({ runRowId, siteId: site.siteId, kind }, site[kind]);
    }
  }
  addRejectedLines(tx, runRowId, record.rejected);
  tx.run`UPDATE run_list SET lines_read = lines_read + ${lines}, digest = ${Buffer.from(digest, "hex")}, is_read = ${isRead ? 1 : 0},
    repeated = repeated + ${repeated}
    WHERE run_id = ${runRowId}`;
  if (isRead) {
    // No further line fills them.
    for (const siteId of tx.values<number>`SELECT site_id FROM run_site WHERE run_id = ${runRowId} AND filling_batch_id IS NOT NULL`) {
      finishFilling(tx, runRowId, siteId);
    }
  }
  return {
    stale: false,
    sites: [...sites].map(([host, { seen, unchanged, excluded, otherScheme }]) => ({
      host,
      seen,
      candidates: seen - unchanged - excluded,
      otherScheme,
    })),
  };
}

/** A site of the run, with what these lines bring of it. */
interface ListedSite {
  readonly siteId: number;
  readonly isStopped: boolean;
  readonly terms: LinesRecord["sites"][number];
  readonly quotes: FillingBatch;
  readonly withRenewal: RenewalMark;
  readonly hasOtherScheme: (url: string) => boolean;
  /** A page that a later purchase holds was bought by the run that this one goes on from, or since. */
  readonly boughtAfter: number;
  seen: number;
  unchanged: number;
  excluded: number;
  otherScheme: string | null;
}

// Of a list that goes on over several runs: what the first of them bought is held, too.
const SELECT_BEGIN = `WITH RECURSIVE earlier (id) AS (SELECT goes_on_from FROM run_list WHERE run_id = ?
    UNION SELECT l.goes_on_from FROM earlier e JOIN run_list l ON l.run_id = e.id)
  SELECT min(r.purchases_after) FROM earlier e JOIN run r ON r.id = e.id`;

/** Opens the sites of these lines. One that is not a site of the run is left out. */
function openSites(
  tx: Tx,
  runRowId: number,
  { sites, pages, quoteBatchSize, expiry, now }: LinesRecord,
): ReadonlyMap<string, ListedSite> {
  const withRenewal = markRenewals(tx, expiry, now);
  const hasOtherScheme = lookForTwoSchemes(
    tx,
    pages.map(({ url }) => url),
  );
  const boughtAfter = tx.value<number | null>(SELECT_BEGIN, runRowId) ?? Number.MAX_SAFE_INTEGER;
  const opened = new Map<string, ListedSite>();
  for (const terms of sites) {
    const siteId = tx.lookups.siteId(terms.host);
    const row = tx.get<{ isStopped: number }>`
      SELECT stop IS NOT NULL AS isStopped FROM run_site WHERE run_id = ${runRowId} AND site_id = ${siteId}`;
    if (row !== undefined) {
      tx.run`UPDATE run_site SET quote_batch_size = ${quoteBatchSize} WHERE run_id = ${runRowId} AND site_id = ${siteId}`;
      const quotes = resumeFilling(tx, { runRowId, siteId, batchSize: quoteBatchSize });
      const isStopped = row.isStopped === 1;
      const counts = { seen: 0, unchanged: 0, excluded: 0, otherScheme: null };
      opened.set(terms.host, { siteId, isStopped, terms, quotes, withRenewal, hasOtherScheme, boughtAfter, ...counts });
    }
  }
  return opened;
}

/** @returns false when the run has recorded the page before */
function recordListedPage(
  tx: Tx,
  runRowId: number,
  site: ListedSite,
  { url, wireUrl, line, excluded, terms, key }: ListedPage,
  now: number,
): boolean {
  const { refresh, intent } = site.terms;
  const page = findOrInsertPage(tx, site.siteId, {
    url,
    wireUrl,
    lastMod: null,
    lastModAt: null,
    propertyId: null,
    excluded,
  });
  // The list has no dates: what the catalog last said of the page counts.
  const stored = site.withRenewal(page.id, storedFor(intent, page));
  const isBought =
    (tx.value<number | null>`SELECT held_purchase_id FROM page WHERE id = ${page.id}` ?? 0) > site.boughtAfter;
  const isDue = !excluded && !isBought && isWorthQuoting(page, stored, refresh, now);
  const metAs: MetState = isDue ? "waiting" : excluded ? "excluded" : "unchanged";
  const { maxPrice, license, value } = terms;
  const isNew = tx.run`INSERT INTO listed_page (run_id, page_id, line, met_as, max_price_micros, max_price_currency, value, key,
    license_type, license_cuid)
     VALUES (${runRowId}, ${page.id}, ${line}, ${metAs}, ${maxPrice?.micros ?? null}, ${maxPrice?.currency ?? null}, ${value}, ${key},
     ${license?.licenseType ?? null}, ${license?.cuid ?? null}) ON CONFLICT (run_id, page_id) DO NOTHING`;
  if (isNew.changes === 0) {
    return false;
  }
  // The pages of a stopped site wait for a run that goes on: no batch of them may be leased.
  const batchId = metAs === "waiting" && !site.isStopped ? site.quotes.place(page.id) : null;
  tx.run`INSERT INTO frontier (run_id, page_id, state, batch_id) VALUES (${runRowId}, ${page.id}, ${metAs}, ${batchId})`;
  site.seen += 1;
  if (metAs === "waiting") {
    site.otherScheme ??= site.hasOtherScheme(url) ? url : null;
  } else {
    site[metAs] += 1;
  }
  return true;
}

/** Lines that name no page to buy: so many of each reason are kept. */
const MAX_LINE_EXAMPLES = 5;
const MAX_RAW_CHARACTERS = 500;

/** Counts the lines, and keeps the first of each reason. */
function addRejectedLines(tx: Tx, runRowId: number, lines: readonly RejectedLine[]): void {
  for (const { line, reason, raw } of lines) {
    const count =
      tx.value<number>`INSERT INTO rejected_line_total (run_id, reason, count) VALUES (${runRowId}, ${reason}, 1)
        ON CONFLICT (run_id, reason) DO UPDATE SET count = count + 1 RETURNING count` as number;
    if (count <= MAX_LINE_EXAMPLES) {
      tx.run`INSERT INTO rejected_line (run_id, line, reason, raw)
        VALUES (${runRowId}, ${line}, ${reason}, ${raw.slice(0, MAX_RAW_CHARACTERS)})`;
    }
  }
}
