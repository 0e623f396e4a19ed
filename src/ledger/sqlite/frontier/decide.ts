import type { ReachedLimit, SpentBudget } from "../../../budget/limits.ts";
import { costOf } from "../../../budget/set-aside.ts";
import { createSiteLimits, type SiteLimits } from "../../../budget/site-limits.ts";
import { isBoughtAfter, isWorthQuoting } from "../../../catalog/freshness.ts";
import { assertBug } from "../../../errors.ts";
import { toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { DenialReason } from "../../../policy/verdict.ts";
import type { Decided, DecideRequest, PageDecision } from "../../frontier-ledger.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createExhaustedCurrencies } from "../money/exhausted-currencies.ts";
import type { Approval } from "../purchases/purchase-rows.ts";
import { createRenewals, type RenewalMark } from "../rights/renewals.ts";
import type { LeasedBatch } from "../runs/batches.ts";
import { STORED_STARTED_AT, type StoredColumns, storedFor } from "./catalog-pages.ts";
import { BLOCK_COLUMNS, type BlockColumns, findBlock } from "./quote-batches.ts";
import { createReservationWriter, type Denial } from "./reservation-writer.ts";

/** A page that waits in the batch, as things stand in this transaction. */
interface DuePage extends StoredColumns, BlockColumns {
  readonly pageId: number;
  readonly lastMod: string | null;
  readonly lastModAt: number | null;
}

interface Outcome {
  readonly approvals: readonly Approval[];
  readonly denials: readonly Denial[];
  /** What ends buying in every currency. */
  readonly reached: ReachedLimit | null;
  /** Budgets that a page of their currency was the first not to fit. */
  readonly spent: readonly SpentBudget[];
}

/**
 * Reads: batch, frontier, page, purchase, balance, run, run_site. Writes: purchase, denial, balances, counters, batches.
 * Idempotent by lease: the quote batch is gone after the first call, a second one is `stale`. Promises 1 (balances are read
 * and reserved in one transaction), 2 (each purchase names rule, license and quote), 3 (one open purchase per page).
 */
export function createDecide(parts: LedgerParts): Ledger["decide"] {
  const { batches, stopSites, lastingStops } = parts;
  const writer = createReservationWriter(parts);
  const renewals = createRenewals(parts.db);
  const exhausted = createExhaustedCurrencies(parts);
  const readLimits = createLimitReader(parts);
  const selectDue = prepareDuePages(parts);
  const finishBatch = createBatchFinish(parts);
  const countApproved = createApprovalCount(parts);

  return (request) =>
    parts.write((): Decided => {
      const batch = batches.find(request.leaseId, "quote");
      if (batch === null) {
        return { stale: true, approved: 0, denied: {}, exhausted: null };
      }
      assertBug(request.acquireBatchSize >= 1, "an acquire batch holds at least one purchase");
      const due = new Map(selectDue.all(batch.id).map((page) => [page.pageId, page]));
      const decisions = request.decisions.filter(({ pageId }) => due.has(pageId));
      const { runRowId, siteId } = batch;
      const lasting = lastingStops.find(siteId);
      const { limits, onlyCurrency, isNotified } = readLimits(batch, request, exhausted.read(runRowId, siteId));
      const withRenewal = renewals.at(request.expiry, request.now);
      const outcome =
        lasting === null
          ? applyLimits(decisions, due, { ...request, isNotified, withRenewal }, limits)
          : refuse(decisions, lasting.detail);

      finishBatch(batch, decisions, due.size);
      writer.reserve(batch, request, outcome.approvals);
      writer.deny(batch, request, outcome.denials);
      countApproved(batch, outcome.approvals.length);
      parts.counters.add({ runRowId, siteId, kind: "approved" }, outcome.approvals.length);
      parts.counters.add(
        { runRowId, siteId, kind: "quoted" },
        decisions.filter(({ listing }) => listing !== null).length,
      );
      const { reached, spent } = outcome;
      const { budgets, indexingHosts = [], now } = request;
      const isOver = exhausted.note({ runRowId, siteId, spent, budgets, onlyCurrency, indexingHosts, now });
      if (reached !== null) {
        const stopped = reached.covers === "run" ? null : siteId;
        stopSites({ runRowId, siteId: stopped, stop: reached.reason, detail: reached.label, now });
      } else if (lasting !== null) {
        stopSites({ runRowId, siteId, ...lasting, now });
      }
      return {
        stale: false,
        approved: outcome.approvals.length,
        denied: countReasons(outcome.denials),
        ...(lasting === null ? tellLimits(outcome, isOver) : { exhausted: lasting }),
      };
    });
}

function tellLimits({ reached, spent }: Outcome, isOver: boolean): Pick<Decided, "exhausted" | "spent"> {
  const last = spent.at(-1);
  if (reached !== null) {
    return { exhausted: { stop: reached.reason, detail: reached.label } };
  }
  if (isOver && last !== undefined) {
    return { exhausted: { stop: "budget_exhausted", detail: last.label } };
  }
  return spent.length === 0
    ? { exhausted: null }
    : { exhausted: null, spent: spent.map(({ currency, label }) => ({ currency, detail: label })) };
}

/** Goes through the pages in order. */
function applyLimits(
  decisions: readonly PageDecision[],
  due: ReadonlyMap<number, DuePage>,
  request: DecideRequest & Notified,
  limits: SiteLimits,
): Outcome {
  const approvals: Approval[] = [];
  const denials: Denial[] = [];
  for (const { pageId, listing, verdict } of decisions) {
    const { ruleIndex } = verdict;
    if (verdict.kind === "denied") {
      denials.push({ pageId, listing, ruleIndex, reason: verdict.reason, detail: verdict.detail });
      continue;
    }
    const page = due.get(pageId) as DuePage;
    const refusal = findObstacle(page, request) ?? limits.take(costOf(verdict));
    if (refusal === null) {
      approvals.push({ pageId, lastMod: page.lastMod, lastModAt: page.lastModAt, listing, verdict });
    } else if (typeof refusal === "string") {
      denials.push({ pageId, listing, ruleIndex, reason: refusal, detail: null });
    } else {
      denials.push({ pageId, listing, ruleIndex, reason: refusal.reason, detail: refusal.label });
    }
  }
  return { approvals, denials, reached: limits.reached(), spent: limits.spent() };
}

/** Nothing is bought from a site that an open item stops: that item may have come since the run began. */
function refuse(decisions: readonly PageDecision[], stopDetail: string): Outcome {
  const denials = decisions.map(({ pageId, listing, verdict }): Denial => {
    const { ruleIndex } = verdict;
    return verdict.kind === "denied"
      ? { pageId, listing, ruleIndex, reason: verdict.reason, detail: verdict.detail }
      : { pageId, listing, ruleIndex, reason: "site_stopped", detail: stopDetail };
  });
  return { approvals: [], denials, reached: null, spent: [] };
}

interface Notified {
  /** The pages come from notifications: what was bought after the notification's date is that version. */
  readonly isNotified: boolean;
  readonly withRenewal: RenewalMark;
}

/** What has come between the walk and the decision, in another run or another process. */
function findObstacle(
  page: DuePage,
  { inDoubt, intent, refresh, now, isNotified, withRenewal }: DecideRequest & Notified,
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

function countReasons(denials: readonly Denial[]): Partial<Record<DenialReason, number>> {
  const counts: Partial<Record<DenialReason, number>> = {};
  for (const { reason } of denials) {
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}

function prepareDuePages(core: LedgerCore) {
  return core.db.prepare<[number], DuePage>(
    `SELECT p.id AS pageId, p.last_mod AS lastMod, p.last_mod_at AS lastModAt, p.held_at AS storedAt, p.held_intent AS storedIntent,
       p.held_last_mod AS storedLastMod, p.held_last_mod_at AS storedLastModAt, ${STORED_STARTED_AT},
       ${BLOCK_COLUMNS}
     FROM frontier f JOIN page p ON p.id = f.page_id WHERE f.batch_id = ?`,
  );
}

/** Ends the quote batch; pages of it that the request did not decide wait in a batch of their own. */
function createBatchFinish(
  parts: LedgerParts,
): (batch: LeasedBatch, decisions: readonly PageDecision[], due: number) => void {
  const { batches } = parts;
  const setAllDecided = parts.db.prepare<[number]>(
    "UPDATE frontier SET state = 'decided', batch_id = NULL WHERE batch_id = ?",
  );
  const setDecided = parts.db.prepare<[number, number]>(
    "UPDATE frontier SET state = 'decided', batch_id = NULL WHERE run_id = ? AND page_id = ?",
  );
  const moveRest = parts.db.prepare<[number, number]>("UPDATE frontier SET batch_id = ? WHERE batch_id = ?");
  return (batch, decisions, due) => {
    const left = due - decisions.length;
    if (left === 0) {
      setAllDecided.run(batch.id);
    } else {
      for (const { pageId } of decisions) {
        setDecided.run(batch.runRowId, pageId);
      }
      const { runRowId, siteId } = batch;
      moveRest.run(batches.add({ runRowId, siteId, stage: "quote", size: left }), batch.id);
    }
    batches.remove(batch);
  };
}

interface LimitRow {
  readonly runMaxPages: number | null;
  readonly runApproved: number;
  readonly siteMaxPages: number | null;
  readonly siteApproved: number;
  readonly maxSpendMicros: number | null;
  readonly maxSpendCurrency: string | null;
  readonly isNotified: number;
}

function createLimitReader(
  core: LedgerCore,
): (
  batch: LeasedBatch,
  request: DecideRequest,
  exhausted: ReadonlyMap<Currency, string>,
) => Pick<Notified, "isNotified"> & { readonly limits: SiteLimits; readonly onlyCurrency: Currency | null } {
  const select = core.db.prepare<[number, number], LimitRow>(
    `SELECT r.max_pages AS runMaxPages, r.approved AS runApproved, s.max_pages AS siteMaxPages, s.approved AS siteApproved,
       r.max_spend_micros AS maxSpendMicros, r.max_spend_currency AS maxSpendCurrency,
       r.key IS NOT NULL AS isNotified
     FROM run r JOIN run_site s ON s.run_id = r.id WHERE r.id = ? AND s.site_id = ?`,
  );
  return ({ runRowId, siteId }, { budgets, now }, exhausted) => {
    const row = select.get(runRowId, siteId) as LimitRow;
    const { maxSpendMicros, maxSpendCurrency } = row;
    const limits = createSiteLimits({
      readBalance: core.balances.read,
      budgets,
      exhausted,
      host: core.hosts.hostOf(siteId),
      runId: core.runs.nameOf(runRowId),
      now,
      runPagesLeft: row.runMaxPages === null ? null : row.runMaxPages - row.runApproved,
      sitePagesLeft: row.siteMaxPages === null ? null : row.siteMaxPages - row.siteApproved,
      maxSpend:
        maxSpendMicros === null || maxSpendCurrency === null
          ? null
          : { micros: toMicros(maxSpendMicros), currency: maxSpendCurrency },
    });
    return { limits, onlyCurrency: maxSpendCurrency, isNotified: row.isNotified === 1 };
  };
}

function createApprovalCount(core: LedgerCore): (batch: LeasedBatch, approved: number) => void {
  const countOfRun = core.db.prepare<[number, number]>("UPDATE run SET approved = approved + ? WHERE id = ?");
  const countOfSite = core.db.prepare<[number, number, number]>(
    "UPDATE run_site SET approved = approved + ? WHERE run_id = ? AND site_id = ?",
  );
  return ({ runRowId, siteId }, approved) => {
    if (approved > 0) {
      countOfRun.run(approved, runRowId);
      countOfSite.run(approved, runRowId, siteId);
    }
  };
}
