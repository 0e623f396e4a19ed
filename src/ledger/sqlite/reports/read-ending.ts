/** When rights end, from the indexes of what ends, and only so many pages: a page of the web interface must not wait for all of them. */
import { type ExpiryPolicies, findExpiryAction } from "../../../rights/rights.ts";
import type { EndedRights, EndingDocument, EndingRights } from "../../rights-calendar.ts";
import type { EndingCursor } from "../../rights-ledger.ts";
import type { Asked } from "../operation.ts";
import {
  type EndingPage,
  type EndingQuery,
  findRetentionSpan,
  type RetentionSpan,
  readEndingPages,
} from "../rights/ending-pages.ts";
import type { ReportTx } from "./queries.ts";

/** Pages that will end, over all sites. */
const MAX_ENDING = 2_000;
/** Pages that have ended, over all sites, and of each. */
const MAX_ENDED = 1_600;
const MAX_ENDED_OF_SITE = 100;
/** Of each site: fewer would show too little of it. */
const LEAST_OF_SITE = 10;

interface Site {
  readonly siteId: number;
  readonly host: string;
}
type Pass = EndingCursor["pass"];
const PASSES: readonly Pass[] = ["license", "retention"];

export function readEnding(tx: ReportTx, { policies, now, until }: Asked<"readEnding">): EndingRights {
  const sites = tx.all<Site>("SELECT id AS siteId, host FROM site ORDER BY host");
  const span = findRetentionSpan(tx, policies);
  const shareOf = (pages: number) => Math.max(LEAST_OF_SITE, Math.floor(pages / Math.max(1, 2 * sites.length)));
  const most = shareOf(MAX_ENDING);
  const mostEnded = Math.min(MAX_ENDED_OF_SITE, shareOf(MAX_ENDED));
  const ending: EndingDocument[] = [];
  let countedUntil = until;
  for (const { siteId, host } of sites) {
    for (const pass of PASSES) {
      const after = beginOf(pass, span, now);
      const piece = readEndingPages(tx, { siteId, policies, until, after, limit: most });
      ending.push(...piece.pages.filter(({ end }) => end.at > now).map((page) => toDocument(page, host, policies)));
      if (piece.next?.pass === pass) {
        countedUntil = Math.min(countedUntil, earliestEndBehind(piece.next, span));
      }
    }
  }
  return {
    ending: ending.filter(({ endsAt }) => endsAt < countedUntil).sort((a, b) => a.endsAt - b.endsAt),
    countedUntil,
    ended: sites.flatMap((site) => countEnded(tx, site, { policies, until: now, limit: mostEnded })),
  };
}

/** Behind what has ended already. Of a retention it is not known before: the longest one says what can still be there. */
const beginOf = (pass: Pass, span: RetentionSpan | null, now: number): EndingCursor => ({
  pass,
  at: pass === "license" ? now : now - (span?.longestMs ?? 0),
  rowId: pass === "license" ? Number.MAX_SAFE_INTEGER : 0,
});

/** What was not read ends no earlier. */
const earliestEndBehind = ({ pass, at }: EndingCursor, span: RetentionSpan | null): number =>
  pass === "license" ? at : at + (span?.shortestMs ?? 0);

function toDocument(page: EndingPage, host: string, policies: ExpiryPolicies): EndingDocument {
  const { purchaseId, url, end } = page;
  return { purchaseId, url, host, endsAt: end.at, why: end.why, action: findExpiryAction(page, policies) };
}

function countEnded(
  tx: ReportTx,
  { siteId, host }: Site,
  query: Pick<EndingQuery, "policies" | "until" | "limit">,
): EndedRights[] {
  const counts = new Map<EndedRights["action"], { pages: number; isAtLeast: boolean }>();
  let isCut = false;
  for (const pass of PASSES) {
    const after = { pass, at: Number.MIN_SAFE_INTEGER, rowId: 0 };
    const piece = readEndingPages(tx, { siteId, after, ...query });
    isCut ||= piece.next?.pass === pass;
    for (const page of piece.pages) {
      const action = findExpiryAction(page, query.policies);
      const count = counts.get(action) ?? { pages: 0, isAtLeast: false };
      counts.set(action, { ...count, pages: count.pages + 1 });
    }
  }
  return [...counts].map(([action, { pages }]) => ({ host, action, pages, isAtLeast: isCut }));
}
