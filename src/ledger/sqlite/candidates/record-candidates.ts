import type { Ledger } from "../../ledger.ts";
import { createBatchFinish } from "../frontier/finish-batch.ts";
import { countReasons } from "../frontier/page-decisions.ts";
import { createReservationWriter, type Denial } from "../frontier/reservation-writer.ts";
import type { LedgerParts } from "../ledger-parts.ts";

/** Reads: batch, frontier, page, listed_page. Writes: candidate, frontier, denial, counters, batches. Idempotent by lease. */
export function createRecordCandidates(parts: LedgerParts): Ledger["recordCandidates"] {
  const { batches, candidateRows } = parts;
  const writer = createReservationWriter(parts);
  const finishBatch = createBatchFinish(parts);
  // A plan counts its denials itself, and leaves none behind.
  const isPlan = parts.db.prepare<[number], number>("SELECT 1 FROM run WHERE id = ? AND kind = 'planning'").pluck();
  const selectDue = parts.db.prepare<[number], number>("SELECT page_id FROM frontier WHERE batch_id = ?").pluck();

  return ({ leaseId, now, order, policyName, decisions: all }) =>
    parts.write(() => {
      const batch = batches.find(leaseId, "quote");
      if (batch === null) {
        return { stale: true, candidates: 0, denied: {} };
      }
      const { runRowId, siteId } = batch;
      const due = new Set(selectDue.all(batch.id));
      const decisions = all.filter(({ pageId }) => due.has(pageId));
      const quoted: number[] = [];
      const denials: Denial[] = [];
      for (const decision of decisions) {
        const { pageId, listing, verdict } = decision;
        if (verdict.kind === "allowed") {
          quoted.push(pageId);
          candidateRows.put({ runRowId, siteId, order, decision });
        } else {
          const { ruleIndex, reason, detail } = verdict;
          denials.push({ pageId, listing, ruleIndex, reason, detail });
        }
      }
      finishBatch(batch, { due: due.size, decided: denials.map(({ pageId }) => pageId), quoted });
      if (isPlan.get(runRowId) === undefined) {
        writer.deny({ runRowId, siteId }, { policyName, now }, denials);
      }
      const listed = decisions.filter(({ listing }) => listing !== null).length;
      parts.counters.add({ runRowId, siteId, kind: "quoted" }, listed);
      return { stale: false, candidates: quoted.length, denied: countReasons(denials) };
    });
}
