/**
 * The judge of pages: for each page, in order, whether it may be bought as things stand in this transaction. It writes nothing. Runs reserve what it
 * approves (page-decisions.ts), plans count it, and `explain` asks what it would find (find-obstacles.ts).
 */
import type { BuyingLimits, NoRoomPolicy } from "../../../budget/limits.ts";
import { isBoughtAfter, isWorthQuoting } from "../../../catalog/freshness.ts";
import type { DenialReason } from "../../../policy/verdict.ts";
import type { DecisionTerms, PageDecision, SiteTerms } from "../../frontier-ledger.ts";
import type { ReadTx } from "../operation.ts";
import type { Approval } from "../purchases/purchase-rows.ts";
import { markRenewals, type RenewalMark } from "../rights/renewals.ts";
import { findLastingStop, type LastingStop } from "../runs/lasting-stops.ts";
import { STORED_ASKED_AT, type StoredColumns, storedFor } from "./catalog-pages.ts";
import { findUnderOtherScheme } from "./other-scheme.ts";
import { findPlanGuard } from "./plan-guard.ts";
import { BLOCK_COLUMNS, type BlockColumns, findBlock } from "./quote-batches.ts";
import type { Denial } from "./reservation-writer.ts";
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
  readonly limits: BuyingLimits;
  readonly terms: DecisionTerms;
  termsOf(siteId: number): SiteTerms;
  /** In order, each of a page in `due`. */
  readonly decisions: readonly PageDecision[];
  readonly due: ReadonlyMap<number, DuePage>;
  readonly noRoom: NoRoomPolicy;
}

export interface SiteOutcome {
  readonly siteId: number;
  readonly host: string;
  readonly approvals: Approval[];
  readonly denials: Denial[];
  /** An open item of the site, which may have come since the run began. Nothing is bought then. */
  readonly lasting: LastingStop | null;
}

/** Goes through the pages in order. */
export function judgePages(
  tx: ReadTx,
  { run, limits, terms, termsOf, decisions, due, noRoom }: DuePages,
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
    } else if (noRoom !== "keep") {
      deny(refusal.reason, refusal.label);
    }
  }
  return [...outcomes.values()];
}

interface ObstacleRules extends Pick<SiteTerms, "inDoubt" | "intent" | "refresh">, Pick<DecisionTerms, "now"> {
  /** The pages come from notifications: what was bought after the notification's date is that version. */
  readonly isNotified: boolean;
  readonly withRenewal: RenewalMark;
}

/** What has come between the walk and the decision, in another run or another process. */
function findObstacle(page: DuePage, rules: ObstacleRules): DenialReason | null {
  return findBlock(page, rules.inDoubt) ?? (isFreshEnough(page, rules) ? "already_held" : null);
}

/** Whether the stored version is not worth another purchase. */
export function isFreshEnough(
  page: DuePage,
  { intent, refresh, now, isNotified, withRenewal }: Omit<ObstacleRules, "inDoubt">,
): boolean {
  const stored = withRenewal(page.pageId, storedFor(intent, page));
  const isCovered =
    isNotified &&
    stored !== null &&
    page.lastModAt !== null &&
    isBoughtAfter(page.lastModAt, stored, refresh.gatewayAt ?? now);
  return isCovered || !isWorthQuoting(page, stored, refresh, now);
}
