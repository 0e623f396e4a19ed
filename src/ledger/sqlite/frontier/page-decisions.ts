/**
 * Deciding pages of a run within a write: what has come in between, the limits, and the rows of what was approved and denied. Shared by the
 * batches of one site (decide.ts) and by candidates of any sites (candidates/decide-candidates.ts).
 */

import type { RunLimits } from "../../../budget/limits.ts";
import { isBoughtAfter, isWorthQuoting } from "../../../catalog/freshness.ts";
import { assertBug } from "../../../errors.ts";
import type { DenialReason } from "../../../policy/verdict.ts";
import type { Decided, DecisionTerms, PageDecision, SiteTerms } from "../../frontier-ledger.ts";
import { noteExhausted } from "../money/exhausted-currencies.ts";
import type { Approval } from "../purchases/purchase-rows.ts";
import { markRenewals, type RenewalMark } from "../rights/renewals.ts";
import type { LastingStop } from "../runs/lasting-stops.ts";
import { findLastingStop } from "../runs/lasting-stops.ts";
import { stopSites } from "../runs/stop-site.ts";
import type { Tx } from "../tx.ts";
import { STORED_ASKED_AT, type StoredColumns, storedFor } from "./catalog-pages.ts";
import { findUnderOtherScheme } from "./other-scheme.ts";
import { findPlanGuard } from "./plan-guard.ts";
import { BLOCK_COLUMNS, type BlockColumns, findBlock } from "./quote-batches.ts";
import { type Denial, denyPages, reservePages } from "./reservation-writer.ts";
import type { RunTerms } from "./run-limits.ts";

/** A page that is due, as things stand in this transaction. */
export interface DuePage extends StoredColumns, BlockColumns {
  readonly pageId: number;
  readonly siteId: number;
  readonly lastMod: string | null;
  readonly lastModAt: number | null;
}

/** Columns of `page p` that make a DuePage. */
export const DUE_COLUMNS = `p.id AS pageId, p.site_id AS siteId, p.last_mod AS lastMod, p.last_mod_at AS lastModAt, p.held_at AS storedAt,
  p.held_intent AS storedIntent, p.held_last_mod AS storedLastMod, p.held_last_mod_at AS storedLastModAt, p.held_dated_as AS storedDatedAs, ${STORED_ASKED_AT}, ${BLOCK_COLUMNS}`;

export interface DuePages {
  readonly run: RunTerms;
  readonly limits: RunLimits;
  readonly terms: DecisionTerms;
  termsOf(siteId: number): SiteTerms;
  /** In order, each of a page in `due`. */
  readonly decisions: readonly PageDecision[];
  readonly due: ReadonlyMap<number, DuePage>;
  /** True: what no limit has room for is neither denied nor counted. */
  readonly leavesUnfit: boolean;
}

export interface DecidedPages {
  readonly sites: readonly (Omit<Decided, "stale"> & { readonly siteId: number; readonly host: string })[];
  /** Those that were approved or denied. */
  readonly pageIds: readonly number[];
}

interface SiteOutcome {
  readonly siteId: number;
  readonly host: string;
  readonly approvals: Approval[];
  readonly denials: Denial[];
  /** An open item of the site, which may have come since the run began. Nothing is bought then. */
  readonly lasting: LastingStop | null;
}

/** Reserves or denies each page, in order, and stops the sites that have nothing left. */
export function decidePages(tx: Tx, pages: DuePages): DecidedPages {
  assertBug(pages.terms.acquireBatchSize >= 1, "an acquire batch holds at least one purchase");
  const outcomes = judgePages(tx, pages);
  const sites = outcomes.map((outcome) => {
    const { siteId, host, approvals, denials } = outcome;
    writeOutcome(tx, outcome, pages);
    const stopped = stopWhereOver(tx, outcome, pages);
    return { siteId, host, approved: approvals.length, denied: countReasons(denials), ...stopped };
  });
  const pageIds = outcomes.flatMap(({ approvals, denials }) => [...approvals, ...denials].map(({ pageId }) => pageId));
  return { sites, pageIds };
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
  countApprovals(tx, site, approvals.length);
  tx.counters.add({ ...site, kind: "approved" }, approvals.length);
}

/** Budgets that are used up, and what stops the site. */
function stopWhereOver(
  tx: Tx,
  { siteId, host, lasting }: SiteOutcome,
  pages: DuePages,
): Pick<Decided, "exhausted" | "spent"> {
  const { run, limits, terms, leavesUnfit } = pages;
  const { runRowId, onlyCurrency } = run;
  if (lasting !== null) {
    stopSites(tx, { runRowId, siteId, ...lasting, now: terms.now });
    return { exhausted: lasting };
  }
  if (leavesUnfit) {
    return { exhausted: null };
  }
  const { budgets, indexingHosts = [], now } = terms;
  const [reached, spent] = [limits.reached(host), limits.spent(host)];
  const isOver = noteExhausted(tx, { runRowId, siteId, spent, budgets, onlyCurrency, indexingHosts, now });
  if (reached !== null) {
    const stopped = reached.covers === "run" ? null : siteId;
    stopSites(tx, { runRowId, siteId: stopped, stop: reached.reason, detail: reached.label, now });
    return { exhausted: { stop: reached.reason, detail: reached.label } };
  }
  const last = spent.at(-1);
  if (isOver && last !== undefined) {
    return { exhausted: { stop: "budget_exhausted", detail: last.label } };
  }
  return spent.length === 0
    ? { exhausted: null }
    : { exhausted: null, spent: spent.map(({ currency, label }) => ({ currency, detail: label })) };
}

/** Goes through the pages in order. */
function judgePages(
  tx: Tx,
  { run, limits, terms, termsOf, decisions, due, leavesUnfit }: DuePages,
): readonly SiteOutcome[] {
  const withRenewal = markRenewals(tx, terms.expiry, terms.now);
  const guardPlan = findPlanGuard(tx, run.runRowId);
  const outcomes = new Map<number, SiteOutcome & { readonly rules: ObstacleRules }>();
  const outcomeOf = (siteId: number) => {
    const known = outcomes.get(siteId) ?? {
      siteId,
      host: tx.hosts.hostOf(siteId),
      approvals: [],
      denials: [],
      lasting: findLastingStop(tx, siteId),
      rules: { ...termsOf(siteId), now: terms.now, isNotified: run.isNotified, withRenewal },
    };
    outcomes.set(siteId, known);
    return known;
  };
  for (const { pageId, listing, verdict } of decisions) {
    const page = due.get(pageId) as DuePage;
    const { siteId, lastMod, lastModAt } = page;
    const { host, approvals, denials, lasting, rules } = outcomeOf(siteId);
    const deny = (reason: DenialReason, detail: string | null) =>
      denials.push({ pageId, listing, ruleIndex: verdict.ruleIndex, reason, detail });
    if (verdict.kind === "denied") {
      deny(verdict.reason, verdict.detail);
      continue;
    }
    if (lasting !== null) {
      deny("site_stopped", lasting.detail);
      continue;
    }
    const obstacle =
      findObstacle(page, rules) ??
      findUnderOtherScheme(tx, pageId, run.fetchBegunAt, rules.intent) ??
      guardPlan(pageId, rules.intent);
    const refusal = obstacle ?? limits.take(host, verdict.price?.cost ?? null);
    if (refusal === null) {
      approvals.push({ pageId, lastMod, lastModAt, listing, verdict });
    } else if (typeof refusal === "string") {
      deny(refusal, null);
    } else if (!leavesUnfit) {
      deny(refusal.reason, refusal.label);
    }
  }
  return [...outcomes.values()];
}

interface ObstacleRules extends SiteTerms, Pick<DecisionTerms, "now"> {
  /** The pages come from notifications: what was bought after the notification's date is that version. */
  readonly isNotified: boolean;
  readonly withRenewal: RenewalMark;
}

/** What has come between the walk and the decision, in another run or another process. */
function findObstacle(
  page: DuePage,
  { inDoubt, intent, refresh, now, isNotified, withRenewal }: ObstacleRules,
): DenialReason | null {
  const block = findBlock(page, inDoubt);
  if (block !== null) {
    return block;
  }
  const stored = withRenewal(page.pageId, storedFor(intent, page));
  const isCovered =
    isNotified && stored !== null && page.lastModAt !== null && isBoughtAfter(page.lastModAt, stored, now);
  return !isCovered && isWorthQuoting(page, stored, refresh, now) ? null : "already_held";
}

/** How many pages were denied for which reason. */
export function countReasons(denials: readonly Denial[]): Partial<Record<DenialReason, number>> {
  const counts: Partial<Record<DenialReason, number>> = {};
  for (const { reason } of denials) {
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}

function countApprovals(
  tx: Tx,
  { runRowId, siteId }: { readonly runRowId: number; readonly siteId: number },
  approved: number,
): void {
  if (approved > 0) {
    tx.run("UPDATE run SET approved = approved + ? WHERE id = ?", approved, runRowId);
    tx.run("UPDATE run_site SET approved = approved + ? WHERE run_id = ? AND site_id = ?", approved, runRowId, siteId);
  }
}
