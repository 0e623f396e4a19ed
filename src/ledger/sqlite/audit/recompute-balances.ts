/**
 * Every balance from the rows alone: purchases, and uses with what their receipts came to. Summed in SQL by run, site and UTC
 * day, then spread over scopes and periods with SQLite's own calendar, so that an error in the code that keeps the
 * balances is not made twice.
 */
import type { Currency } from "../../../money/money.ts";
import { TAKEN_BACK_REASONS } from "../../../purchase/purchase.ts";
import type { Connection } from "../engine/connection.ts";

export interface RecomputedBalance {
  readonly scope: string;
  readonly period: string;
  readonly currency: Currency;
  readonly reservedMicros: number;
  readonly inDoubtMicros: number;
  readonly settledMicros: number;
  readonly feeMicros: number;
  readonly boughtPages: number;
  readonly failedPages: number;
  readonly allowedMicros: number;
  readonly reportedMicros: number;
  /**
   * Charged beyond what had been set aside: flagged, and allowed to pass a limit (promise 1). So is what came for a purchase
   * already given up: its content is kept, and its charge is a fact.
   */
  readonly overchargedMicros: number;
  /** What later uses, which are recorded whatever the budgets say, come to. */
  readonly laterUseMicros: number;
}

const TAKEN_BACK = TAKEN_BACK_REASONS.map((reason) => `'${reason}'`).join(", ");

/** One row a movement: what a purchase or a use counts as now, and in which day's periods. */
const MOVEMENTS = `
  SELECT run_id, site_id, reserved_at / 86400000 AS day, currency,
         CASE WHEN state = 'in_doubt' THEN 0 ELSE quoted_micros + fee_micros + use_reserve_micros END AS reserved,
         CASE WHEN state = 'in_doubt' THEN quoted_micros + fee_micros + use_reserve_micros ELSE 0 END AS in_doubt,
         0 AS settled, 0 AS fee, 0 AS overcharged, 0 AS later_use, 0 AS bought, 0 AS failed, 0 AS allowed, 0 AS reported
  FROM purchase WHERE state IN ('reserved', 'started', 'in_doubt') AND currency IS NOT NULL
  UNION ALL
  SELECT run_id, site_id, reserved_at / 86400000, charged_currency, 0, 0, charged_micros + charged_fee_micros, charged_fee_micros,
         CASE WHEN charged_currency = currency AND NOT EXISTS (SELECT 1 FROM resolution r WHERE r.purchase_id = purchase.id AND r.source = 'late_answer')
              THEN max(0, charged_micros + charged_fee_micros - quoted_micros - fee_micros)
              ELSE charged_micros + charged_fee_micros END, 0, 1, 0, 0, 0
  FROM purchase WHERE state = 'settled' AND charged_currency IS NOT NULL
  UNION ALL
  SELECT run_id, site_id, reserved_at / 86400000, currency, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0
  FROM purchase WHERE state = 'released' AND currency IS NOT NULL AND reason NOT IN (${TAKEN_BACK})
  UNION ALL
  SELECT run_id, site_id, reserved_at / 86400000, currency, 0, 0, 0, 0, 0, 0, 0, 0, quoted_micros + fee_micros + use_reserve_micros, 0
  FROM purchase WHERE currency IS NOT NULL AND (state <> 'released' OR reason NOT IN (${TAKEN_BACK}))
  UNION ALL
  SELECT run_id, site_id, budget_at / 86400000, currency, unit_micros * times, 0, 0, 0, 0,
         CASE kind WHEN 'use' THEN unit_micros * times ELSE 0 END, 0, 0, 0, 0
  FROM use WHERE billed = 1 AND state IN ('pending', 'batched', 'rejected')
  UNION ALL
  SELECT run_id, site_id, budget_at / 86400000, charged_currency, 0, 0, charged_micros, 0,
         CASE WHEN charged_currency = currency THEN max(0, charged_micros - unit_micros * times) ELSE charged_micros END,
         CASE kind WHEN 'use' THEN charged_micros ELSE 0 END, 0, 0, 0, charged_micros
  FROM use WHERE billed = 1 AND state = 'settled' AND charged_currency IS NOT NULL`;

const SUMS = [
  "reserved",
  "in_doubt",
  "settled",
  "fee",
  "overcharged",
  "later_use",
  "bought",
  "failed",
  "allowed",
  "reported",
]
  .map((column) => `coalesce(sum(${column}), 0) AS ${column}`)
  .join(", ");

const RECOMPUTE = `
  WITH daily AS (
    SELECT run_id, site_id, day, currency, ${SUMS} FROM (${MOVEMENTS}) GROUP BY run_id, site_id, day, currency
  ), named AS (
    SELECT 'all' AS all_scope, 'site:' || s.host AS site_scope, 'run:' || r.name AS run_scope, daily.*,
           'day:' || strftime('%F', day * 86400, 'unixepoch') AS day_period,
           'week:' || strftime('%G-W%V', day * 86400, 'unixepoch') AS week_period,
           'month:' || strftime('%Y-%m', day * 86400, 'unixepoch') AS month_period
    FROM daily LEFT JOIN site s ON s.id = daily.site_id LEFT JOIN run r ON r.id = daily.run_id
  ), spread AS (
    ${["all_scope", "site_scope"]
      .flatMap((scope) => ["day_period", "week_period", "month_period", "'total'"].map((period) => [scope, period]))
      .concat([["run_scope", "'total'"]])
      .map(
        ([scope, period]) => `SELECT ${scope} AS scope, ${period} AS period, * FROM named WHERE ${scope} IS NOT NULL`,
      )
      .join(" UNION ALL ")}
  )
  SELECT scope, period, currency, sum(reserved) AS reservedMicros, sum(in_doubt) AS inDoubtMicros, sum(settled) AS settledMicros,
         sum(fee) AS feeMicros, sum(overcharged) AS overchargedMicros, sum(later_use) AS laterUseMicros,
         sum(bought) AS boughtPages, sum(failed) AS failedPages, sum(allowed) AS allowedMicros, sum(reported) AS reportedMicros
  FROM spread GROUP BY scope, period, currency ORDER BY scope, period, currency`;

export function recomputeBalances(db: Connection): RecomputedBalance[] {
  return db.prepare<[], RecomputedBalance>(RECOMPUTE).all();
}
