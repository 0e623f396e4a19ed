/**
 * Pages of a site that were quoted, with their rates: the newest runs have them in their denials and purchases. They are looked through run by run, and so
 * many rows of each, because neither has an index of its site.
 */
import { pathOfUrl } from "../../../catalog/url-path.ts";
import type { RateListing } from "../../../rates/rate.ts";
import type { QuotedPage, QuotedPages } from "../../site-reports.ts";
import type { Asked } from "../operation.ts";
import type { ReportTx } from "./queries.ts";

const MAX_RUNS = 50;
/** Of the newest runs, those that are looked through for runs of the site. */
const MAX_RECENT_RUNS = 5_000;
/** Rows of denials, and of purchases, that are looked at in one run. */
const MAX_ROWS = 10_000;

interface RunRow {
  readonly run: number;
  readonly siteId: number;
  readonly after: number;
  readonly until: number;
  readonly approved: number;
  readonly denied: number;
}

interface PageRow {
  readonly pageId: number;
  readonly url: string;
  readonly lastModAt: number | null;
  readonly at: number;
  readonly listingId: number;
}

const COUNTED = (kind: string) =>
  `(SELECT coalesce(sum(t.count), 0) FROM tally t WHERE t.run_id = recent.id AND t.site_id = rs.site_id AND t.kind = '${kind}')`;

const SELECT_RUNS = `SELECT recent.id AS run, rs.site_id AS siteId, recent.purchases_after AS after,
  coalesce(recent.purchases_until, (SELECT max(id) FROM purchase), 0) AS until, ${COUNTED("approved")} AS approved, ${COUNTED("denied")} AS denied
  FROM (SELECT id, purchases_after, purchases_until FROM run WHERE kind <> 'planning' ORDER BY id DESC LIMIT ${MAX_RECENT_RUNS}) recent
  CROSS JOIN run_site rs ON rs.run_id = recent.id AND rs.site_id = (SELECT id FROM site WHERE host = @host) LIMIT ${MAX_RUNS}`;

const SELECT_DENIED = `SELECT d.page_id AS pageId, p.url, p.last_mod_at AS lastModAt, d.at, d.listing_id AS listingId
  FROM (SELECT page_id FROM denial WHERE run_id = @run ORDER BY page_id DESC LIMIT ${MAX_ROWS}) recent
  CROSS JOIN denial d ON d.page_id = recent.page_id AND d.run_id = @run CROSS JOIN page p ON p.id = d.page_id
  WHERE d.listing_id IS NOT NULL AND p.site_id = @siteId LIMIT @most`;

const SELECT_APPROVED = `SELECT u.page_id AS pageId, u.url, u.last_mod_at AS lastModAt, u.reserved_at AS at, u.listing_id AS listingId
  FROM purchase u WHERE u.id > @after AND u.id <= @until AND u.run_id = @run AND u.site_id = @siteId AND u.listing_id IS NOT NULL
  ORDER BY u.id DESC LIMIT @most`;

export function readQuoted(tx: ReportTx, { host, limit }: Asked<"readQuoted">): QuotedPages {
  const pages = new Map<number, QuotedPage>();
  const listings = createListings(tx);
  const add = (rows: readonly PageRow[], isApproved: boolean) => {
    for (const { pageId, url, lastModAt, at, listingId } of rows) {
      if (!pages.has(pageId)) {
        pages.set(pageId, {
          path: pathOfUrl(url),
          lastModAt,
          at,
          listing: listings.placeOf(listingId),
          isApproved,
        });
      }
    }
  };
  for (const { run, siteId, after, until, approved, denied } of tx.all<RunRow>(SELECT_RUNS, { host })) {
    const left = limit - pages.size;
    if (left <= 0) {
      break;
    }
    // As many of both as the run decided: one of them alone would be another distribution.
    const share = approved + denied === 0 ? 0 : approved / (approved + denied);
    const from = Math.max(after, until - MAX_ROWS);
    add(tx.all<PageRow>(SELECT_APPROVED, { run, siteId, after: from, until, most: Math.ceil(left * share) }), true);
    add(tx.all<PageRow>(SELECT_DENIED, { run, siteId, most: Math.ceil(left * (1 - share)) }), false);
  }
  return { pages: [...pages.values()].slice(0, limit), listings: listings.all };
}

function createListings(tx: ReportTx): { readonly all: readonly RateListing[]; placeOf(id: number): number } {
  const places = new Map<number, number>();
  const all: RateListing[] = [];
  return {
    all,
    placeOf(id) {
      const known = places.get(id);
      if (known !== undefined) {
        return known;
      }
      all.push(JSON.parse(tx.value<string>("SELECT json FROM listing WHERE id = ?", id) ?? "null") as RateListing);
      places.set(id, all.length - 1);
      return all.length - 1;
    },
  };
}
