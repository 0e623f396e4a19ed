/** What a plan does when all is quoted, under an order other than that of the catalog: it counts the candidates from the best down, as a run would buy them. */
import type { RunLimits } from "../../budget/limits.ts";
import type { Candidate } from "../../ledger/candidate-ledger.ts";
import type { BestFirst } from "../../policy/rank-page.ts";
import { decideDue, readBestFirst, readChosen } from "../decide/best-first.ts";
import { chooseCandidates } from "../decide/choose-most-value.ts";
import { siteOf } from "../site-of.ts";
import type { StageDeps } from "../stage-deps.ts";
import type { PlanCounters, PlanRequest } from "./plan-counters.ts";

/** @param openLimits what a run would have left, anew for each call */
export async function planInOrder(
  deps: StageDeps,
  order: BestFirst,
  {
    request,
    counters,
    openLimits,
  }: { readonly request: PlanRequest; readonly counters: PlanCounters; readonly openLimits: () => RunLimits },
): Promise<void> {
  const { runId } = request;
  const limits = openLimits();
  const counted = new Set<number>();
  const chosen = await chooseCandidates(deps, { runId, order }, openLimits);
  for (const isChosen of [true, false]) {
    const chunks = isChosen ? readChosen(deps.ledger, { runId }, chosen) : readBestFirst(deps.ledger, { runId, order });
    for await (const candidates of chunks) {
      const due = candidates.filter(({ pageId }) => isChosen || !counted.has(pageId));
      for (const { pageId } of isChosen ? due : []) {
        counted.add(pageId);
      }
      await countChunk(deps, { order, request, counters, limits, isChosen }, due);
    }
  }
  counters.close(limits);
}

async function countChunk(
  deps: StageDeps,
  planning: {
    readonly order: BestFirst;
    readonly request: PlanRequest;
    readonly counters: PlanCounters;
    readonly limits: RunLimits;
    readonly isChosen: boolean;
  },
  candidates: readonly Candidate[],
): Promise<void> {
  const { order, request, counters, limits, isChosen } = planning;
  const now = deps.clock.now();
  const due = await decideDue(deps, { runId: request.runId, order, isChosen }, candidates, now);
  for (const { candidate, decision } of due) {
    const { host, url, pageId } = candidate;
    const { name: policyName, inDoubt } = siteOf(deps, host).policy.policy;
    const blocked = await deps.ledger.findBlocked({ pageIds: [pageId], inDoubt });
    const bought = counters.count(
      {
        host,
        policyName,
        decisions: [decision],
        pages: [{ url }],
        blocked: new Map(blocked.map(({ reason }) => [pageId, reason])),
        now,
      },
      limits,
    );
    if (bought.length > 0) {
      await request.onPages?.(bought);
    }
  }
}
