/** Sites: where each stands, what is stored of it, and how old that is. */
import type { BoundedCount, RunOfSite, SiteFacts } from "../../site-reports.ts";
import { readCounters } from "../money/read-counters.ts";
import { readSpend } from "../money/read-spend.ts";
import type { Answered, Asked } from "../operation.ts";
import { findLastingStop } from "../runs/lasting-stops.ts";
import type { ReportTx } from "./queries.ts";

/** Entries of the index of stored pages that one look counts, over all its sites. */
const MAX_COUNTED = 200_000;
/** Of each age. */
const MAX_COUNTED_OF_AGE = 20_000;
const MAX_RUNS = 5_000;
/** Sites of these runs that are looked through for the newest run of each. */
const MAX_RUN_SITES = 20_000;

interface SiteRow {
  readonly id: number;
  readonly host: string;
  readonly lastFullWalkAt: number | null;
}

const SITE_COLUMNS = "SELECT id, host, last_full_walk_at AS lastFullWalkAt FROM site";

export function readSites(tx: ReportTx, { host, after, limit }: Asked<"readSites">): readonly SiteFacts[] {
  const sites =
    host === null
      ? tx.all<SiteRow>(`${SITE_COLUMNS} WHERE host > ? ORDER BY host LIMIT ?`, after, limit)
      : tx.all<SiteRow>(`${SITE_COLUMNS} WHERE host = ?`, host);
  const runs = findNewestRuns(tx);
  const stored = countStored(tx, sites);
  return sites.map((site) => ({
    host: site.host,
    stored: stored.get(site.id) ?? NONE,
    newestStoredAt: tx.value<number>(SELECT_NEWEST, site.id) ?? null,
    oldestStoredAt: tx.value<number>(SELECT_OLDEST, site.id) ?? null,
    spend: readSpend(tx, `site:${site.host}`),
    stop: findLastingStop(tx, site.id),
    lastFullWalkAt: site.lastFullWalkAt,
    lastRun: readRunOf(tx, site.id, runs.get(site.id)?.any),
    lastWalk: readRunOf(tx, site.id, runs.get(site.id)?.walk),
  }));
}

const STORED_OF_SITE = "FROM page WHERE site_id = ? AND held_at IS NOT NULL";
const SELECT_NEWEST = `SELECT held_at ${STORED_OF_SITE} ORDER BY held_at DESC LIMIT 1`;
const SELECT_OLDEST = `SELECT held_at ${STORED_OF_SITE} ORDER BY held_at LIMIT 1`;
const COUNT_STORED = `SELECT count(*) FROM (SELECT 1 ${STORED_OF_SITE} LIMIT ?)`;
const COUNT_SITES = "SELECT count(*) FROM (SELECT 1 FROM site LIMIT ?)";

const NONE: BoundedCount = { pages: 0, isAtLeast: false };

/** A counter has the pages of all sites together. */
function countStored(tx: ReportTx, sites: readonly SiteRow[]): ReadonlyMap<number, BoundedCount> {
  const most = Math.floor(MAX_COUNTED / Math.max(1, sites.length));
  const counts = sites.map(({ id }) => toBounded(tx.value<number>(COUNT_STORED, id, most + 1) ?? 0, most));
  const areAll = tx.value<number>(COUNT_SITES, sites.length + 1) === sites.length;
  const completed = areAll ? completeCounts(counts, readCounters(tx).of("page_held")) : counts;
  return new Map(sites.map(({ id }, index) => [id, completed[index] ?? NONE]));
}

const toBounded = (counted: number, most: number): BoundedCount => ({
  pages: Math.min(counted, most),
  isAtLeast: counted > most,
});

/** Where one part alone was too many to count, it is what the others leave of the whole. */
function completeCounts(parts: readonly BoundedCount[], total: number): readonly BoundedCount[] {
  const others = parts.reduce((sum, { pages, isAtLeast }) => (isAtLeast ? sum : sum + pages), 0);
  const open = parts.filter(({ isAtLeast }) => isAtLeast);
  return open.length === 1
    ? parts.map((part) => (part.isAtLeast ? { pages: total - others, isAtLeast: false } : part))
    : parts;
}

interface NewestRuns {
  any: number;
  walk?: number;
}

// In the order of the runs, so that the limit leaves the newest.
const SELECT_NEWEST_RUNS = `SELECT site_id AS siteId, is_walk AS isWalk, max(run_id) AS run FROM (
    SELECT rs.site_id, rs.run_id, recent.is_walk FROM (SELECT id, kind = 'walk' AS is_walk FROM run WHERE kind <> 'planning' ORDER BY id DESC LIMIT ${MAX_RUNS}) recent
    CROSS JOIN run_site rs ON rs.run_id = recent.id LIMIT ${MAX_RUN_SITES})
  GROUP BY 1, 2`;

function findNewestRuns(tx: ReportTx): ReadonlyMap<number, NewestRuns> {
  const newest = new Map<number, NewestRuns>();
  for (const { siteId, isWalk, run } of tx.all<{ siteId: number; isWalk: number; run: number }>(SELECT_NEWEST_RUNS)) {
    const known = newest.get(siteId) ?? { any: run };
    known.any = Math.max(known.any, run);
    newest.set(siteId, isWalk === 1 ? { ...known, walk: run } : known);
  }
  return newest;
}

const SELECT_RUN_OF_SITE = `SELECT r.name AS runId, r.state, r.started_by AS "trigger", r.started_at AS startedAt, r.ended_at AS endedAt,
  rs.stop, rs.stop_detail AS stopDetail, rs.walk_warning AS walkWarning
  FROM run r CROSS JOIN run_site rs ON rs.run_id = r.id WHERE r.id = ? AND rs.site_id = ?`;

const readRunOf = (tx: ReportTx, siteId: number, run: number | undefined): RunOfSite | null =>
  run === undefined ? null : (tx.get<RunOfSite>(SELECT_RUN_OF_SITE, run, siteId) ?? null);

const COUNT_OF_AGE = `SELECT count(*) FROM (SELECT 1 ${STORED_OF_SITE} AND held_at > ? AND held_at <= ? LIMIT ?)`;

/** Ranges of the index of stored pages. */
export function readAges(tx: ReportTx, { host, total, now, agesMs }: Asked<"readAges">): Answered<"readAges"> {
  const [site] = tx.all<SiteRow>(`${SITE_COLUMNS} WHERE host = ?`, host);
  if (site === undefined) {
    return [...agesMs, 0].map(() => NONE);
  }
  const bounds = [Number.MAX_SAFE_INTEGER, ...agesMs.map((ageMs) => now - ageMs), Number.MIN_SAFE_INTEGER];
  const counts = bounds
    .slice(1)
    .map((from, index) =>
      toBounded(
        tx.value<number>(COUNT_OF_AGE, site.id, from, bounds[index] ?? now, MAX_COUNTED_OF_AGE + 1) ?? 0,
        MAX_COUNTED_OF_AGE,
      ),
    );
  return total.isAtLeast ? counts : completeCounts(counts, total.pages);
}
