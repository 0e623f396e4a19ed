/** Candidates from the best down, and their decisions under the clock of now. Shared by runs and plans. */
import type { Candidate, RankedDecision } from "../../ledger/candidate-ledger.ts";
import type { FrontierPage } from "../../ledger/frontier-ledger.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { type BestFirst, rankPage } from "../../policy/rank-page.ts";
import type { RateAnswer } from "../quote/rate-answer.ts";
import { siteOf } from "../site-of.ts";
import type { SiteSettings, StageDeps } from "../stage-deps.ts";
import { toPageDecision } from "./page-decision.ts";

/** Candidates that are decided in one transaction. */
const CHUNK = 500;

/** What a page of each currency may cost at most. Whoever decides a chunk may lower it for the next one. */
export type Room = Record<Currency, Micros>;

/** All candidates of a run in its order, in chunks. */
export async function* readBestFirst(
  ledger: Ledger,
  { runId, order }: { readonly runId: string; readonly order: BestFirst },
  room: Room = {},
): AsyncIterable<readonly Candidate[]> {
  let after: Parameters<Ledger["readCandidates"]>[0]["after"] = null;
  for (;;) {
    const { candidates, next } = await ledger.readCandidates({ runId, order, limit: CHUNK, after, room: { ...room } });
    if (candidates.length > 0) {
      yield candidates;
    }
    if (next === null) {
      return;
    }
    after = next;
  }
}

/** These candidates, in chunks, in the given order. */
export async function* readChosen(
  ledger: Ledger,
  { runId }: { readonly runId: string },
  pageIds: readonly number[],
): AsyncIterable<readonly Candidate[]> {
  for (let start = 0; start < pageIds.length; start += CHUNK) {
    yield await ledger.findCandidates({ runId, pageIds: pageIds.slice(start, start + CHUNK) });
  }
}

/** A candidate that is decided in its place. */
export interface DueCandidate {
  readonly candidate: Candidate;
  readonly decision: RankedDecision;
}

/**
 * Decides the candidates of a chunk anew. A page that has become worse in the order gets its new place, which is still to come; the others
 * are returned. A chosen page keeps its place.
 */
export async function decideDue(
  deps: StageDeps,
  { runId, order, isChosen }: { readonly runId: string; readonly order: BestFirst; readonly isChosen: boolean },
  candidates: readonly Candidate[],
  now: number,
): Promise<readonly DueCandidate[]> {
  const decided = candidates.map((candidate) => ({ candidate, decision: decideAnew(deps, candidate, now) }));
  const isLater = ({ candidate, decision }: DueCandidate) => !isChosen && isWorse(candidate, decision, order);
  const later = decided.filter(isLater).map(({ decision }) => decision);
  if (later.length > 0) {
    await deps.ledger.rankCandidates({ runId, order, decisions: later });
  }
  return decided.filter((one) => !isLater(one));
}

/** Decides a candidate by the policy, on the rates that were quoted: some may have expired since, and a day may have gone by. */
function decideAnew(deps: StageDeps, candidate: Candidate, now: number): RankedDecision {
  const { host, listing } = candidate;
  return toRankedDecision(
    deps,
    siteOf(deps, host),
    candidate,
    listing === null ? null : { kind: "listed", listing },
    now,
  );
}

export function toRankedDecision(
  deps: Pick<StageDeps, "fee">,
  site: SiteSettings,
  page: FrontierPage,
  answer: RateAnswer | null,
  now: number,
): RankedDecision {
  const decision = toPageDecision(deps, site, page, answer, now);
  const { verdict } = decision;
  const rule = verdict.kind === "allowed" ? site.policy.policy.rules[verdict.ruleIndex] : undefined;
  return { ...decision, value: page.listed?.value ?? rule?.value ?? null };
}

/** Whether a candidate has become worse than it was when it was quoted. */
function isWorse(candidate: Candidate, { verdict, value }: RankedDecision, order: BestFirst): boolean {
  if (verdict.kind === "denied") {
    return false;
  }
  const costMicros = verdict.price?.cost.micros ?? null;
  return rankPage(order, { costMicros, value, lastModAt: candidate.lastModAt, line: candidate.line }) > candidate.rank;
}
