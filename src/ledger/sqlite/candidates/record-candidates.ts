import { finishBatch } from "../frontier/finish-batch.ts";
import { countReasons } from "../frontier/page-decisions.ts";
import { type Denial, denyPages } from "../frontier/reservation-writer.ts";
import type { Answered, Asked, Tx } from "../operation.ts";
import { findBatch } from "../runs/batches.ts";
import { putCandidate } from "./candidate-rows.ts";

// A plan counts its denials itself, and leaves none behind.
const IS_PLAN = "SELECT 1 FROM run WHERE id = ? AND kind = 'planning'";

/** Reads: batch, frontier, page, listed_page. Writes: candidate, frontier, denial, counters, batches. Idempotent by lease. */
export function recordCandidates(
  tx: Tx,
  { leaseId, now, order, policyName, decisions: all }: Asked<"recordCandidates">,
): Answered<"recordCandidates"> {
  const batch = findBatch(tx, leaseId, "quote");
  if (batch === null) {
    return { stale: true, candidates: 0, denied: {} };
  }
  const { runRowId, siteId } = batch;
  const due = new Set(
    tx.values<number>`SELECT f.value FROM batch b CROSS JOIN json_each(b.pages) f WHERE b.id = ${batch.id}`,
  );
  const decisions = all.filter(({ pageId }) => due.has(pageId));
  const quoted: number[] = [];
  const denials: Denial[] = [];
  for (const decision of decisions) {
    const { pageId, listing, verdict } = decision;
    if (verdict.kind === "allowed") {
      quoted.push(pageId);
      putCandidate(tx, { runRowId, siteId }, order, decision);
    } else {
      const { ruleIndex, reason, detail } = verdict;
      denials.push({ pageId, listing, ruleIndex, reason, detail });
    }
  }
  finishBatch(tx, batch, { due: [...due], decided: denials.map(({ pageId }) => pageId), quoted });
  if (!tx.has(IS_PLAN, runRowId)) {
    denyPages(tx, { runRowId, siteId }, { policyName, now }, denials);
  }
  const listed = decisions.filter(({ listing }) => listing !== null).length;
  tx.counters.add({ runRowId, siteId, kind: "quoted" }, listed);
  return { stale: false, candidates: quoted.length, denied: countReasons(denials) };
}
