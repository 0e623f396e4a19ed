/** Run and run_site rows as the port's RunSpec. */

import { toMicros } from "../../../money/micros.ts";
import type { RunOrder } from "../../../policy/rule.ts";
import type { RunKind } from "../../../run/kinds.ts";
import type { OwnLimits } from "../../../run/limits.ts";
import { type EndedBy, type RunState, UNFINISHED_STATES } from "../../../run/run-state.ts";
import type { RunSpec } from "../../run-ledger.ts";
import type { ReadTx } from "../operation.ts";

export interface RunRow {
  readonly id: number;
  readonly kind: RunKind;
  readonly state: RunState;
  readonly endedBy: EndedBy;
  /** The process that works on it, or did when it died. */
  readonly process: string | null;
  readonly successorRowId: number | null;
}

interface SpecRow extends LimitColumns {
  readonly kind: RunKind;
  readonly startedAt: number;
  readonly order: RunOrder;
  readonly deadlineAt: number | null;
}

/** The limits of a run as its row has them. */
export interface LimitColumns {
  readonly maxPages: number | null;
  readonly maxSpendMicros: number | null;
  readonly maxSpendCurrency: string | null;
}

export function toOwnLimits({ maxPages, maxSpendMicros, maxSpendCurrency }: LimitColumns): OwnLimits {
  const isLimited = maxSpendMicros !== null && maxSpendCurrency !== null;
  return { maxPages, maxSpend: isLimited ? { micros: toMicros(maxSpendMicros), currency: maxSpendCurrency } : null };
}

const SELECT_SITES = `SELECT s.host, rs.max_pages AS maxPages, rs.full_walk_every_ms AS fullWalkEveryMs, rs.overlap_ms AS overlapMs
  FROM run r JOIN run_site rs ON rs.run_id = r.id JOIN site s ON s.id = rs.site_id WHERE r.name = ? ORDER BY rs.position`;

/** The row of a run. Null when the ledger does not know it. */
export function findRun(tx: ReadTx, name: string): RunRow | null {
  return (
    tx.get<RunRow>`SELECT id, kind, state, ended_by AS endedBy, process, taken_over_by AS successorRowId FROM run WHERE name = ${name}` ??
    null
  );
}

/** Of a run that exists. */
export function readRunSpec(tx: ReadTx, name: string): RunSpec {
  const { maxPages, maxSpendMicros, maxSpendCurrency, ...row } =
    tx.get<SpecRow>`SELECT kind, started_at AS startedAt, run_order AS "order", max_pages AS maxPages, max_spend_micros AS maxSpendMicros,
       max_spend_currency AS maxSpendCurrency, deadline_at AS deadlineAt
     FROM run WHERE name = ${name}` as SpecRow;
  const limits = toOwnLimits({ maxPages, maxSpendMicros, maxSpendCurrency });
  return { runId: name, ...row, ...limits, sites: tx.all<RunSpec["sites"][number]>(SELECT_SITES, name) };
}

/**
 * The states of runs as pieces of SQL. A run that another run took over is over, except while its started purchases are probed: then
 * it is `running`, assigned to the other process.
 */
/** Of table `run`, plans in the making. The index `run_plannings` serves it. */
export const IS_PLANNING = "kind = 'planning'";

/** Of table `run`. The index `run_unfinished` serves it. */
export const IS_UNFINISHED = `kind <> 'planning' AND state IN (${UNFINISHED_STATES.map((state) => `'${state}'`).join(", ")}) AND (taken_over_by IS NULL OR state = 'running')`;
