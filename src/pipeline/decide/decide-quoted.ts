import type { Quoted } from "../quote/rate-answer.ts";
import type { StageDeps } from "../stage-deps.ts";
import { decide } from "./decide.ts";
import { keepCandidates } from "./decide-in-order.ts";

/** Decides a batch whose rates are known, or keeps it as candidates where the order of the run is not that of the catalog. */
export function decideQuoted(deps: StageDeps, { leaseId, opened, answers }: Quoted): Promise<void> {
  return deps.order === "catalog"
    ? decide(deps, leaseId, opened, answers)
    : keepCandidates(deps, deps.order, { leaseId, opened }, answers);
}
