/** Run and run_site rows as the port's RunSpec. */
import { toMicros } from "../../../money/micros.ts";
import type { ListSource } from "../../list-ledger.ts";
import { type RunSpec, type RunState, UNFINISHED_STATES } from "../../run-ledger.ts";
import type { Connection } from "../engine/connection.ts";

export interface RunRow {
  readonly id: number;
  readonly kind: "run" | "plan";
  readonly state: RunState;
  /** The process that works on it, or did when it died. */
  readonly process: string | null;
  readonly takenOverBy: number | null;
  /** Of a webhook run; null for every other. */
  readonly key: string | null;
  /** Where its list comes from; null for a run without one. */
  readonly list: ListSource | null;
}

export interface RunRows {
  find(name: string): RunRow | null;
  /** Of a run that exists. */
  readSpec(name: string): RunSpec;
}

interface SpecRow {
  readonly kind: "run" | "plan";
  readonly startedAt: number;
  readonly maxPages: number | null;
  readonly maxSpendMicros: number | null;
  readonly maxSpendCurrency: string | null;
  readonly deadlineAt: number | null;
}

export function createRunRows(db: Connection): RunRows {
  const select = db.prepare<[string], RunRow>(
    `SELECT id, kind, state, process, taken_over_by AS takenOverBy, key, (SELECT source FROM run_list WHERE run_id = run.id) AS list
     FROM run WHERE name = ?`,
  );
  const selectSpec = db.prepare<[string], SpecRow>(
    `SELECT kind, started_at AS startedAt, max_pages AS maxPages, max_spend_micros AS maxSpendMicros,
       max_spend_currency AS maxSpendCurrency, deadline_at AS deadlineAt
     FROM run WHERE name = ?`,
  );
  const selectSites = db.prepare<[string], RunSpec["sites"][number]>(
    `SELECT s.host, rs.max_pages AS maxPages, rs.full_walk_every_ms AS fullWalkEveryMs, rs.overlap_ms AS overlapMs
     FROM run r JOIN run_site rs ON rs.run_id = r.id JOIN site s ON s.id = rs.site_id WHERE r.name = ? ORDER BY rs.position`,
  );
  return {
    find: (name) => select.get(name) ?? null,
    readSpec(name) {
      const { maxSpendMicros, maxSpendCurrency, ...row } = selectSpec.get(name) as SpecRow;
      const maxSpend =
        maxSpendMicros === null || maxSpendCurrency === null
          ? null
          : { micros: toMicros(maxSpendMicros), currency: maxSpendCurrency };
      return { runId: name, ...row, maxSpend, sites: selectSites.all(name) };
    },
  };
}

/**
 * The states of runs as pieces of SQL. A run that another run took over is over, except while its started purchases are probed: then
 * it is `running`, assigned to the other process.
 */
/** Of table `run`. The index `run_unfinished` serves it. */
export const IS_UNFINISHED = `kind = 'run' AND state IN (${UNFINISHED_STATES.map((state) => `'${state}'`).join(", ")}) AND (taken_over_by IS NULL OR state = 'running')`;
