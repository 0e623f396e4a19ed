import type { Decided } from "../../frontier-ledger.ts";
import type { Asked, Tx } from "../operation.ts";
import { findBatch } from "../runs/batches.ts";
import { finishBatch } from "./finish-batch.ts";
import { DUE_COLUMNS, type DuePage } from "./judge-pages.ts";
import { decidePages } from "./page-decisions.ts";
import { readBuyingLimits } from "./run-limits.ts";

const SELECT_DUE = `SELECT ${DUE_COLUMNS} FROM batch b CROSS JOIN json_each(b.pages) f CROSS JOIN page p ON p.id = f.value WHERE b.id = ?`;

/** The pages come in the order of the catalog. */
const NO_ROOM = "end_buying";

/**
 * Reads: batch, frontier, page, purchase, balance, run, run_site. Writes: purchase, denial, balances, counters, batches.
 * Idempotent by lease: the quote batch is gone after the first call, a second one is `stale`. Promises 1 (balances are read
 * and reserved in one transaction), 2 (each purchase names rule, license and quote), 3 (one open purchase per page).
 */
export function decide(tx: Tx, request: Asked<"decide">): Decided {
  const batch = findBatch(tx, request.leaseId, "quote");
  if (batch === null) {
    return NOTHING;
  }
  const { runRowId, siteId } = batch;
  const due = new Map(tx.all<DuePage>(SELECT_DUE, batch.id).map((page) => [page.pageId, page]));
  const decisions = request.decisions.filter(({ pageId }) => due.has(pageId));
  const { run, limits } = readBuyingLimits(tx, runRowId, request, NO_ROOM);
  finishBatch(tx, batch, { due: [...due.keys()], decided: decisions.map(({ pageId }) => pageId), quoted: [] });
  tx.counters.add({ runRowId, siteId, kind: "quoted" }, decisions.filter(({ listing }) => listing !== null).length);
  const { sites, planned } = decidePages(tx, {
    run,
    limits,
    terms: request,
    termsOf: () => request,
    decisions,
    due,
    noRoom: NO_ROOM,
  });
  const [{ approved, denied, exhausted, spent } = NOTHING] = sites;
  return {
    stale: false,
    approved,
    denied,
    exhausted,
    ...(spent === undefined ? {} : { spent }),
    ...(planned === undefined ? {} : { planned }),
  };
}

const NOTHING: Decided = { stale: true, approved: 0, denied: {}, exhausted: null };
