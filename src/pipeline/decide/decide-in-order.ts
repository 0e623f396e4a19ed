/**
 * Stage 3 under an order other than that of the catalog: keeps what was quoted as candidates, and decides the candidates of all sites from
 * the best down when there is nothing left to walk or to quote. Nothing is bought before all are decided.
 */
import { createBalanceReader } from "../../budget/covering-budgets.ts";
import { type BuyingLimits, createBuyingLimits } from "../../budget/limits.ts";
import type { Candidate, DecideCandidatesRequest } from "../../ledger/candidate-ledger.ts";
import type { OpenedQuoteBatch } from "../../ledger/frontier-ledger.ts";
import type { RunSpec } from "../../ledger/run-ledger.ts";
import type { BestFirst } from "../../policy/rank-page.ts";
import { ageTermsOf } from "../age-terms.ts";
import { warnOfFlawedRates } from "../quote/flawed-rates.ts";
import { answerAt, type RateAnswer } from "../quote/rate-answer.ts";
import { siteOf } from "../site-of.ts";
import type { StageDeps } from "../stage-deps.ts";
import { decideDue, type Room, readBestFirst, readChosen, toRankedDecision } from "./best-first.ts";
import { chooseCandidates } from "./choose-most-value.ts";
import { toDecisionTerms, toSiteTerms } from "./decision-terms.ts";
import { reportDecided } from "./report-decided.ts";

/** @param answers in the order of the batch's pages; null under `intent: indexing` */
export async function keepCandidates(
  deps: StageDeps,
  order: BestFirst,
  { leaseId, opened }: { readonly leaseId: string; readonly opened: OpenedQuoteBatch },
  answers: readonly RateAnswer[] | null,
): Promise<void> {
  const { host, pages } = opened;
  const site = siteOf(deps, host);
  const now = deps.clock.now();
  const recorded = await deps.ledger.recordCandidates({
    leaseId,
    now,
    order,
    policyName: site.policy.policy.name,
    decisions: pages.map((page, index) => toRankedDecision(deps, site, page, answerAt(answers, index), now)),
  });
  if (!recorded.stale) {
    warnOfFlawedRates(deps, host, pages, answers, now);
    reportDecided(deps, { host, approved: 0, denied: recorded.denied, exhausted: null });
  }
}

/** A run whose candidates are decided. */
export interface OrderedRun extends Pick<RunSpec, "runId" | "sites" | "maxPages" | "maxSpend"> {
  readonly process: string;
}

/**
 * Decides the candidates of a run once. What there is no room for stays a candidate while money may come back: a purchase may fail, or cost
 * less than its quote. When a round has bought nothing, nothing comes back any more, and the rest is denied.
 * @returns `bought`: there is something to buy, and then another round. `done`: every candidate is decided. `taken`: the run belongs to another
 * process
 */
export async function decideRound(
  deps: StageDeps,
  order: BestFirst,
  run: OrderedRun,
  signal: AbortSignal,
): Promise<"bought" | "done" | "taken"> {
  for (const noRoom of ["keep", "deny"] as const) {
    const approved = await decideAll(deps, order, { run, noRoom }, signal);
    if (approved === null || approved > 0) {
      return approved === null ? "taken" : "bought";
    }
  }
  return "done";
}

interface Deciding {
  readonly order: BestFirst;
  readonly run: OrderedRun;
  /** `keep` in the first round, `deny` in the last. */
  readonly noRoom: DecideCandidatesRequest["noRoom"];
  readonly isChosen: boolean;
}

/** @returns how many were approved. Null when the run belongs to another process */
async function decideAll(
  deps: StageDeps,
  order: BestFirst,
  { run, noRoom }: Pick<Deciding, "run" | "noRoom">,
  signal: AbortSignal,
): Promise<number | null> {
  const { runId } = run;
  const ordered = { runId, order };
  const room: Room = {};
  const chosen = noRoom === "deny" ? [] : await chooseCandidates(deps, ordered, await readLimits(deps, run));
  let approved = 0;
  for (const isChosen of [true, false]) {
    const chunks = isChosen ? readChosen(deps.ledger, ordered, chosen) : readBestFirst(deps.ledger, ordered, room);
    for await (const candidates of chunks) {
      if (signal.aborted) {
        return approved;
      }
      const decided = await decideChunk(deps, { order, run, noRoom, isChosen }, candidates);
      if (decided === null) {
        return null;
      }
      approved += decided.approved;
      Object.assign(room, noRoom === "deny" ? {} : decided.room);
    }
  }
  return approved;
}

/** @returns null when the run belongs to another process */
async function decideChunk(
  deps: StageDeps,
  deciding: Deciding,
  candidates: readonly Candidate[],
): Promise<{ readonly approved: number; readonly room: Room } | null> {
  const { order, noRoom, isChosen } = deciding;
  const { runId, process } = deciding.run;
  const now = deps.clock.now();
  deps.buyingClock.check(now);
  const ages = ageTermsOf(deps, now);
  const due = await decideDue(deps, { runId, order, isChosen }, candidates, now);
  const hosts = [...new Set(candidates.map(({ host }) => host))];
  const result = await deps.ledger.decideCandidates({
    ...toDecisionTerms(deps, hosts, now, ages),
    runId,
    process,
    sites: hosts.map((host) => ({ host, ...toSiteTerms(siteOf(deps, host), ages) })),
    decisions: due.map(({ decision: { value: _, ...decision } }) => decision),
    noRoom,
  });
  if (result.stale) {
    return null;
  }
  await deps.book?.note(result.planned, now);
  for (const site of result.sites) {
    reportDecided(deps, site);
  }
  return { approved: result.sites.reduce((sum, site) => sum + site.approved, 0), room: { ...result.room } };
}

/** What the run has left, to choose by. The transaction that reserves the money checks it again. */
async function readLimits(deps: StageDeps, run: OrderedRun): Promise<() => BuyingLimits> {
  const { runId, maxPages, maxSpend } = run;
  const now = deps.clock.now();
  const spend = maxSpend === null ? [] : [toBudget(maxSpend)];
  const hosts = run.sites.map(({ host }) => host);
  const read = await deps.ledger.readBalances({ budgets: [...deps.budgets, ...spend], hosts, runId, now });
  const { pages, sites } = await deps.ledger.readRun(runId);
  return () =>
    createBuyingLimits({
      readBalance: createBalanceReader(read, { runId, at: now }),
      budgets: deps.budgets,
      runId,
      now,
      runPagesLeft: maxPages === null ? null : maxPages - pages.approved + pages.failed,
      maxSpend,
      readSite(host) {
        const most = run.sites.find((site) => site.host === host)?.maxPages ?? null;
        const { approved = 0, failed = 0 } = sites.find((site) => site.host === host) ?? {};
        return { pagesLeft: most === null ? null : most - approved + failed, exhausted: new Map() };
      },
      noRoom: "keep",
    });
}

/** The run's maxSpend as a budget of this run, whose balance can be read. */
function toBudget({ micros, currency }: NonNullable<RunSpec["maxSpend"]>): StageDeps["budgets"][number] {
  return { scope: { kind: "run" }, period: "total", currency, limitMicros: micros };
}
