import type { CandidateLedger } from "../../candidate-ledger.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createDecideCandidates } from "./decide-candidates.ts";
import { createFindCandidates, createReadCandidates, createReadWorths } from "./read-candidates.ts";
import { createRecordCandidates } from "./record-candidates.ts";

export function createCandidateOperations(parts: LedgerParts): CandidateLedger {
  return {
    recordCandidates: createRecordCandidates(parts),
    readCandidates: createReadCandidates(parts),
    findCandidates: createFindCandidates(parts),
    readWorths: createReadWorths(parts),
    rankCandidates: createRankCandidates(parts),
    decideCandidates: createDecideCandidates(parts),
  };
}

/** Reads: run, candidate, page, listed_page. Writes: candidate. Idempotent: what was decided is left alone. */
function createRankCandidates(parts: LedgerParts): Ledger["rankCandidates"] {
  const selectSite = parts.db
    .prepare<[number, number], number>("SELECT site_id FROM candidate WHERE run_id = ? AND page_id = ?")
    .pluck();
  return ({ runId, order, decisions }) =>
    parts.write(() => {
      const runRowId = parts.runs.idOf(runId);
      for (const decision of runRowId === null ? [] : decisions) {
        const siteId = selectSite.get(runRowId as number, decision.pageId);
        if (siteId !== undefined) {
          parts.candidateRows.put({ runRowId: runRowId as number, siteId, order, decision });
        }
      }
    });
}
