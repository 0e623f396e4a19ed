import type { Decided } from "../../frontier-ledger.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createBatchFinish } from "./finish-batch.ts";
import { createPageDecisions, DUE_COLUMNS, type DuePage } from "./page-decisions.ts";
import { createLimitReader } from "./run-limits.ts";

/**
 * Reads: batch, frontier, page, purchase, balance, run, run_site. Writes: purchase, denial, balances, counters, batches.
 * Idempotent by lease: the quote batch is gone after the first call, a second one is `stale`. Promises 1 (balances are read
 * and reserved in one transaction), 2 (each purchase names rule, license and quote), 3 (one open purchase per page).
 */
export function createDecide(parts: LedgerParts): Ledger["decide"] {
  const { batches } = parts;
  const decidePages = createPageDecisions(parts);
  const readLimits = createLimitReader(parts);
  const finishBatch = createBatchFinish(parts);
  const selectDue = parts.db.prepare<[number], DuePage>(
    `SELECT ${DUE_COLUMNS} FROM frontier f JOIN page p ON p.id = f.page_id WHERE f.batch_id = ?`,
  );

  return (request) =>
    parts.write((): Decided => {
      const batch = batches.find(request.leaseId, "quote");
      if (batch === null) {
        return NOTHING;
      }
      const { runRowId, siteId } = batch;
      const due = new Map(selectDue.all(batch.id).map((page) => [page.pageId, page]));
      const decisions = request.decisions.filter(({ pageId }) => due.has(pageId));
      const { run, limits } = readLimits(runRowId, request, false);
      finishBatch(batch, { due: due.size, decided: decisions.map(({ pageId }) => pageId), quoted: [] });
      parts.counters.add(
        { runRowId, siteId, kind: "quoted" },
        decisions.filter(({ listing }) => listing !== null).length,
      );
      const { sites } = decidePages({
        run,
        limits,
        terms: request,
        termsOf: () => request,
        decisions,
        due,
        leavesUnfit: false,
      });
      const [{ approved, denied, exhausted, spent } = NOTHING] = sites;
      return { stale: false, approved, denied, exhausted, ...(spent === undefined ? {} : { spent }) };
    });
}

const NOTHING: Decided = { stale: true, approved: 0, denied: {}, exhausted: null };
