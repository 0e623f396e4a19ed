/** Promise 1, the limits of a run: `maxPages` and `maxSpend` count the whole run, with any new limit of a resume (design § Runs). */
import type { Evidence, RunLimits, Violation } from "./evidence.ts";
import type { PurchaseRow } from "./ledger-rows.ts";
import { countPurchase, totalOf } from "./money.ts";
import { sitesInForce } from "./settings.ts";

/** @param counts what counts at a place, the purchase included */
export type JudgeLimits = (row: PurchaseRow, counts: (place: string) => number) => Violation | null;

export function createRunLimits(evidence: Evidence): JudgeLimits {
  const { db } = evidence;
  const readKept = db.prepare<[number], { readonly maxPages: number | null; micros: number | null; currency: string }>(
    "SELECT max_pages AS maxPages, max_spend_micros AS micros, max_spend_currency AS currency FROM run WHERE id = ?",
  );
  // What was released was not bought: it leaves room for another page.
  const countBought = db
    .prepare<[number], number>("SELECT count(*) FROM purchase WHERE run_id = ? AND state <> 'released'")
    .pluck();
  const countOfSite = db
    .prepare<[number, number], number>(
      "SELECT count(*) FROM purchase o JOIN purchase n ON n.site_id = o.site_id WHERE n.id = ? AND o.run_id = ? AND o.state <> 'released'",
    )
    .pluck();
  return (row, counts) => {
    const isFree = totalOf(countPurchase(row)) === 0;
    const kept = readKept.get(row.runId);
    const maxSpend = kept?.micros == null ? null : { micros: kept.micros, currency: kept.currency };
    const asKept: RunLimits = { maxPages: kept?.maxPages ?? null, maxSpend };
    const said = evidence.runLimits?.get(row.run) ?? [];
    // The ledger's own, and what people said last: two may have said different things of one run at once.
    for (const limits of [[asKept], said]) {
      const misfits = limits.map(({ maxPages, maxSpend: most }) => {
        const bought = maxPages === null ? 0 : (countBought.get(row.runId) ?? 0);
        if (maxPages !== null && bought > maxPages) {
          return broken("fits-max-pages", `purchase ${row.id} is one of ${bought}, ${row.run} may make ${maxPages}`);
        }
        const spent = most === null || isFree ? 0 : counts(`run:${row.run} total ${most.currency}`);
        return most !== null && spent > most.micros
          ? broken(
              "fits-max-spend",
              `purchase ${row.id}: ${row.run} counts ${spent} of ${most.micros} ${most.currency}`,
            )
          : null;
      });
      const [misfit] = misfits;
      if (misfit != null && !misfits.includes(null)) {
        return misfit;
      }
    }
    const most = sitesInForce(evidence, row.host).map(({ maxPages }) => maxPages ?? Number.POSITIVE_INFINITY);
    const bought = countOfSite.get(row.id, row.runId) ?? 0;
    return most.every((limit) => bought > limit)
      ? broken("fits-max-pages-of-its-site", `purchase ${row.id} is one of ${bought} of ${row.host} in ${row.run}`)
      : null;
  };
}

function broken(rule: string, detail: string): Violation {
  return { promise: 1, rule, detail };
}
