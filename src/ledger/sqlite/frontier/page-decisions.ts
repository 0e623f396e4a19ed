/**
 * Deciding pages of a run within a write: what has come in between, the limits, and the rows of what was approved and denied. Shared by the
 * batches of one site (decide.ts) and by candidates of any sites (candidates/decide-candidates.ts).
 */
import { assertBug } from "../../../errors.ts";
import type { DenialReason } from "../../../policy/verdict.ts";
import type { Decided } from "../../frontier-ledger.ts";
import type { PlanDecisions, PlannedDecision } from "../../plan-book.ts";
import type { SiteStop } from "../../run-ledger.ts";
import { noteExhausted } from "../money/exhausted-currencies.ts";
import type { ReadTx, Tx } from "../operation.ts";
import { stopSites } from "../runs/stop-site.ts";
import { type DuePages, judgePages, type SiteOutcome } from "./judge-pages.ts";
import { type Denial, denyPages, reservePages } from "./reservation-writer.ts";

export interface DecidedPages {
  readonly sites: readonly (Omit<Decided, "stale"> & { readonly siteId: number; readonly host: string })[];
  /** Those that were approved or denied. */
  readonly pageIds: readonly number[];
  /** Of a plan. */
  readonly planned?: PlanDecisions;
}

/** Reserves or denies each page, in order, and stops the sites that have nothing left. */
export function decidePages(tx: Tx, pages: DuePages): DecidedPages {
  assertBug(pages.terms.acquireBatchSize >= 1, "an acquire batch holds at least one purchase");
  const outcomes = judgePages(tx, pages);
  const pageIds = outcomes.flatMap(({ approvals, denials }) => [...approvals, ...denials].map(({ pageId }) => pageId));
  if (pages.run.isPlan) {
    return { ...toPlanned(tx, pages, outcomes), pageIds };
  }
  const sites = outcomes.map((outcome) => {
    const { siteId, host, approvals, denials } = outcome;
    writeOutcome(tx, outcome, pages);
    const stopped = stopWhereOver(tx, outcome, pages);
    return { siteId, host, approved: approvals.length, denied: countReasons(denials), ...stopped };
  });
  return { sites, pageIds };
}

type PlannedRow = Pick<PlannedDecision, "url" | "value" | "key">;

const SELECT_PLANNED = `SELECT p.url, l.value, l.key FROM page p LEFT JOIN listed_page l ON l.page_id = p.id AND l.run_id = @runRowId
  WHERE p.id = @pageId`;

/** What a run would do. A plan writes none of it down. */
function toPlanned(
  tx: ReadTx,
  { run, limits, decisions, noRoom }: DuePages,
  outcomes: readonly SiteOutcome[],
): Pick<DecidedPages, "sites" | "planned"> {
  const decided = new Map<number, { readonly host: string; readonly reason: DenialReason | null }>();
  for (const { host, approvals, denials } of outcomes) {
    for (const { pageId } of approvals) {
      decided.set(pageId, { host, reason: null });
    }
    for (const { pageId, reason } of denials) {
      decided.set(pageId, { host, reason });
    }
  }
  const pages = decisions.flatMap(({ pageId, verdict }) => {
    const found = decided.get(pageId);
    const page = tx.get<PlannedRow>(SELECT_PLANNED, { runRowId: run.runRowId, pageId });
    return found === undefined || page === undefined || verdict.kind === "denied"
      ? []
      : [{ ...found, ...page, ruleIndex: verdict.ruleIndex, price: verdict.price }];
  });
  const used = noRoom === "keep" ? [] : outcomes;
  return {
    sites: outcomes.map(({ siteId, host, approvals, denials }) => {
      return { siteId, host, approved: approvals.length, denied: countReasons(denials), exhausted: null };
    }),
    planned: {
      pages,
      limits: used.map(({ host }) => ({ host, reached: limits.reached(host), spent: limits.spent(host) })),
    },
  };
}

function writeOutcome(
  tx: Tx,
  { siteId, approvals, denials }: SiteOutcome,
  { run: { runRowId }, terms, termsOf }: DuePages,
): void {
  const site = { runRowId, siteId };
  const request = { ...terms, ...termsOf(siteId) };
  reservePages(tx, site, request, approvals);
  denyPages(tx, site, request, denials);
}

/** Budgets that are used up, and what stops the site. */
function stopWhereOver(
  tx: Tx,
  { siteId, host, lasting }: SiteOutcome,
  pages: DuePages,
): Pick<Decided, "exhausted" | "spent"> {
  const { run, limits, terms, noRoom } = pages;
  const { runRowId, onlyCurrency } = run;
  if (lasting !== null) {
    stopSites(tx, { runRowId, siteId, ...lasting, now: terms.now });
    return { exhausted: lasting };
  }
  if (noRoom === "keep") {
    return { exhausted: null };
  }
  const { budgets, indexingHosts = [], now } = terms;
  const [reached, spent] = [limits.reached(host), limits.spent(host)];
  const isOver = noteExhausted(tx, { runRowId, siteId, spent, budgets, onlyCurrency, indexingHosts, now });
  if (reached !== null) {
    const stopped = reached.covers === "run" ? null : siteId;
    stopSites(tx, { runRowId, siteId: stopped, stop: reached.reason, detail: reached.label, now });
    return { exhausted: { ...withOthers(tx, runRowId, reached.reason), detail: reached.label } };
  }
  const last = spent.at(-1);
  if (isOver && last !== undefined) {
    return { exhausted: { ...withOthers(tx, runRowId, "budget_exhausted"), detail: last.label } };
  }
  return spent.length === 0
    ? { exhausted: null }
    : { exhausted: null, spent: spent.map(({ currency, label }) => ({ currency, detail: label })) };
}

/** The stop of a site, with all sites of the run that have the same one, if there are others. */
function withOthers(
  tx: ReadTx,
  runRowId: number,
  stop: SiteStop,
): Pick<NonNullable<Decided["exhausted"]>, "stop" | "hosts"> {
  const hosts =
    tx.values<number>`SELECT site_id FROM run_site WHERE run_id = ${runRowId} AND stop = ${stop} ORDER BY position`.map(
      (siteId) => tx.hosts.hostOf(siteId),
    );
  return hosts.length > 1 ? { stop, hosts } : { stop };
}

/** How many pages were denied for which reason. */
export function countReasons(denials: readonly Denial[]): Partial<Record<DenialReason, number>> {
  const counts: Partial<Record<DenialReason, number>> = {};
  for (const { reason } of denials) {
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}
