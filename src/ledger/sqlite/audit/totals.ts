/** What the rows add up to, beside the violations: the numbers that a person compares with the gateway's. */
import { type Micros, toMicros } from "../../../money/micros.ts";
import { PURCHASE_STATES, type PurchaseState } from "../../../purchase/purchase.ts";
import type { AuditReport } from "../../ledger-reports.ts";
import type { Connection } from "../engine/connection.ts";
import { PLAIN_USES } from "./plain-reports.ts";
import type { RecomputedBalance } from "./recompute-balances.ts";

type Totals = AuditReport["totals"];

/** What is said of a file too damaged to be summed. */
export const NO_TOTALS: Totals = {
  openItems: 0,
  purchases: { reserved: 0, started: 0, settled: 0, released: 0, in_doubt: 0 },
  spend: {},
  uses: { recorded: 0, reported: 0, pending: 0 },
  reportedMicros: {},
  documents: 0,
};

const IN_PLAIN_SETTLED = `SELECT count(*) FROM ${PLAIN_USES} WHERE b.state = 'settled'`;

export function sumTotals(db: Connection, balances: readonly RecomputedBalance[]): Totals {
  const count = (sql: string) => db.prepare<[], number>(sql).pluck().get() as number;
  return {
    openItems: count("SELECT count(*) FROM open_item WHERE closed_at IS NULL"),
    purchases: countPurchases(db),
    spend: sumSpend(balances),
    uses: {
      recorded: count("SELECT count(*) FROM use"),
      reported: count(`SELECT (SELECT count(*) FROM use WHERE state = 'settled') + (${IN_PLAIN_SETTLED})`),
      pending: count(`SELECT (SELECT count(*) FROM use WHERE state IN ('pending', 'batched')) - (${IN_PLAIN_SETTLED})`),
    },
    reportedMicros: sumReceipts(db),
    documents: count("SELECT count(held_purchase_id) FROM page"),
  };
}

function countPurchases(db: Connection): Record<PurchaseState, number> {
  const rows = db
    .prepare<[], { state: PurchaseState; count: number }>(
      "SELECT state, count(*) AS count FROM purchase GROUP BY state",
    )
    .all();
  const counts = new Map(rows.map(({ state, count }) => [state, count]));
  return Object.fromEntries(PURCHASE_STATES.map((state) => [state, counts.get(state) ?? 0])) as Record<
    PurchaseState,
    number
  >;
}

function sumSpend(balances: readonly RecomputedBalance[]): Totals["spend"] {
  return Object.fromEntries(
    balances
      .filter(({ scope, period }) => scope === "all" && period === "total")
      .map(({ currency, settledMicros, inDoubtMicros, reservedMicros, feeMicros }) => [
        currency,
        {
          settledMicros: toMicros(settledMicros - feeMicros),
          inDoubtMicros: toMicros(inDoubtMicros),
          reservedMicros: toMicros(reservedMicros),
          feeMicros: toMicros(feeMicros),
        },
      ]),
  );
}

/**
 * The gateway's own totals for what was reported, surplus receipts left out. A receipt may name any sum, also one that is not
 * plausible: a sum that is too large to count is given as the largest that can be counted.
 */
function sumReceipts(db: Connection): Record<string, Micros> {
  // total() and not sum(): it rounds where the other one ends in an error, and only beyond the cap.
  const rows = db
    .prepare<[], { currency: string; total: number }>(
      `SELECT currency, total(micros) AS total FROM (
         SELECT currency, total_micros AS micros FROM receipt WHERE entry_id IS NOT NULL
         UNION ALL SELECT e.currency, e.unit_micros * e.times FROM usage_batch b JOIN usage_entry e ON e.batch_id = b.id WHERE b.receipts_as_expected_at IS NOT NULL
         UNION ALL SELECT u.currency, u.unit_micros * u.times FROM ${PLAIN_USES} WHERE b.receipts_as_expected_at IS NOT NULL)
       GROUP BY currency ORDER BY currency`,
    )
    .all();
  return Object.fromEntries(
    rows.map(({ currency, total }) => [currency, toMicros(Math.min(total, Number.MAX_SAFE_INTEGER))]),
  );
}
