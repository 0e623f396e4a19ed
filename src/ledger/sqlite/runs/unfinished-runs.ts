/** Runs that are not over: whether a process works on them, and what they hold. */

import { type Micros, toMicros } from "../../../money/micros.ts";
import type { RunWorker, UnfinishedRun } from "../../run-ledger.ts";
import { recordAct } from "../acts/record-act.ts";
import { SET_ASIDE_SQL } from "../money/set-aside-sql.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";
import { isOpenOfBatch } from "./batches.ts";
import { IS_OWN } from "./own-run.ts";
import { IS_PLANNING, IS_UNFINISHED, type LimitColumns, toOwnLimits } from "./run-rows.ts";

/** What says that it is alive for longer than so many times the longest that it can was written by a clock that has been set back since. */
const MAX_LIVES_AHEAD = 2;

export interface UnfinishedRow extends UnfinishedRun {
  readonly id: number;
  /** The later run that has begun to take it over. */
  readonly successorRowId: number | null;
}

interface UnfinishedColumns extends LimitColumns, Omit<UnfinishedRow, "inService" | keyof Held> {
  readonly isHeard: number;
  readonly inService: number;
}

/** What more than its row says. */
type Held = Pick<
  UnfinishedRow,
  "hosts" | "limits" | "isAlive" | "isTakenOver" | "reserved" | "started" | "setAsideMicros"
>;

interface SetAsideRow {
  readonly state: "reserved" | "started";
  readonly currency: string | null;
  readonly purchases: number;
  readonly micros: number;
}

export type LivenessQuery = Pick<RunWorker, "now" | "aliveMs" | "gone">;

const selectRuns = (
  which: string,
) => `SELECT id, name AS runId, state, started_at AS startedAt, process, taken_over_by AS successorRowId, kind, ended_by AS endedBy,
    max_pages AS maxPages, max_spend_micros AS maxSpendMicros, max_spend_currency AS maxSpendCurrency, started_by AS "trigger",
    in_service AS inService,
    min(@now, alive_until - @aliveMs) AS lastSeenAt,
    alive_until > @now AND alive_until <= @latest
      OR EXISTS (SELECT 1 FROM batch b WHERE b.run_id = run.id AND b.state = 'leased' AND b.ready_at > @now AND b.ready_at <= @latest) AS isHeard
  FROM run WHERE ${which} ORDER BY id`;

const SELECT_UNFINISHED = selectRuns(IS_UNFINISHED);
const SELECT_RUNNING = selectRuns(`${IS_UNFINISHED} AND state = 'running'`);
const SELECT_PLANNINGS = selectRuns(IS_PLANNING);

const SELECT_SET_ASIDE = `SELECT p.state, p.currency, count(*) AS purchases, sum(${SET_ASIDE_SQL}) AS micros
  FROM batch b CROSS JOIN purchase p ON ${isOpenOfBatch("p")}
  WHERE b.run_id = ? AND b.stage = 'acquire' GROUP BY p.state, p.currency`;

/** Oldest first. Also those whose takeover was begun and not finished: they hold what they hold. */
export function listUnfinishedRuns(tx: ReadTx, query: LivenessQuery): UnfinishedRow[] {
  return readRuns(tx, SELECT_UNFINISHED, query);
}

/** Plans in the making, as above. */
export function listPlannings(tx: ReadTx, query: LivenessQuery): UnfinishedRow[] {
  return readRuns(tx, SELECT_PLANNINGS, query);
}

/** Their names: of those that are running, because no other run has a process. */
export function listAliveRuns(tx: ReadTx, query: LivenessQuery): readonly string[] {
  return readRuns(tx, SELECT_RUNNING, query).flatMap(({ isAlive, runId }) => (isAlive ? [runId] : []));
}

function readRuns(tx: ReadTx, select: string, { now, aliveMs, gone }: LivenessQuery): UnfinishedRow[] {
  return tx
    .all<UnfinishedColumns>(select, { now, aliveMs, latest: now + MAX_LIVES_AHEAD * aliveMs })
    .map(({ isHeard, inService, ...columns }) => {
      const { maxPages, maxSpendMicros, maxSpendCurrency, ...row } = columns;
      const lines = tx.all<SetAsideRow>(SELECT_SET_ASIDE, row.id);
      const count = (state: SetAsideRow["state"]) =>
        lines.reduce((sum, line) => sum + (line.state === state ? line.purchases : 0), 0);
      return {
        ...row,
        inService: inService === 1,
        isTakenOver: row.successorRowId !== null,
        limits: toOwnLimits({ maxPages, maxSpendMicros, maxSpendCurrency }),
        hosts: tx.values<string>`SELECT s.host FROM run_site rs JOIN site s ON s.id = rs.site_id WHERE rs.run_id = ${row.id} ORDER BY rs.position`,
        isAlive: row.state === "running" && isHeard === 1 && !(row.process !== null && gone.includes(row.process)),
        reserved: count("reserved"),
        started: count("started"),
        setAsideMicros: sumByCurrency(lines),
      };
    });
}

function sumByCurrency(lines: readonly SetAsideRow[]): Record<string, Micros> {
  const sums: Record<string, Micros> = {};
  for (const { currency, micros } of lines) {
    if (currency !== null) {
      sums[currency] = toMicros((sums[currency] ?? 0) + micros);
    }
  }
  return sums;
}

/** Reads: run, run_site, batch, purchase. */
export function listUnfinished(tx: ReadTx, query: Asked<"listUnfinished">): Answered<"listUnfinished"> {
  return listUnfinishedRuns(tx, query).map(({ id: _id, successorRowId: _successorRowId, ...run }) => run);
}

const RENEW = `UPDATE run SET process = @process, alive_until = @aliveUntil,
    ended_by = iif(ended_by = 'nobody', coalesce(@stoppedBy, ended_by), ended_by)
  WHERE name = @runId AND ${IS_OWN}`;

const IS_NOT_ENDED = `SELECT 1 FROM run WHERE name = @runId AND ended_by = 'nobody' AND ${IS_OWN}`;

/**
 * Writes: until when a run's process is taken to be alive, and who stopped the run, with the act of a person. False when the run was ended, or is assigned to another
 * process. A second call writes the same.
 */
export function renewRun(tx: Tx, { stopped = null, ...renewal }: Asked<"renewRun">): boolean {
  const { runId, process, aliveUntil } = renewal;
  if (stopped !== null && stopped.who !== null && tx.has(IS_NOT_ENDED, { runId, process })) {
    recordAct(tx, { kind: "run_stopped", who: stopped.who, runId, now: stopped.at });
  }
  return tx.changed(RENEW, { runId, process, aliveUntil, stoppedBy: stopped?.endedBy ?? null });
}
