/** How far lists were read. */

import { isLimited } from "../../../run/run-state.ts";
import { type LeftRun, whatBecomes } from "../../../run/what-becomes.ts";
import type { ListIntake, ListPosition, ListSource } from "../../list-ledger.ts";
import type { Answered, Asked, ReadTx } from "../operation.ts";

interface PositionRow {
  readonly source: ListSource;
  readonly path: string | null;
  readonly linesRead: number;
  readonly digest: Buffer | null;
  readonly isRead: number;
}

const POSITION = "l.source, l.path, l.lines_read AS linesRead, l.digest, l.is_read AS isRead";

function toPosition({ digest, isRead, ...row }: PositionRow): ListPosition {
  return { ...row, digest: digest?.toString("hex") ?? null, isRead: isRead === 1 };
}

const SELECT_LIST_POSITION = `SELECT ${POSITION} FROM run_list l WHERE l.run_id = ?`;

/** Of a run by its row; null when it has no list. */
export function findListPosition(tx: ReadTx, runRowId: number): ListPosition | null {
  const row = tx.get<PositionRow>(SELECT_LIST_POSITION, runRowId);
  return row === undefined ? null : toPosition(row);
}

/** Reads: run_list, run_site. */
export function readIntake(tx: ReadTx, runId: Asked<"readIntake">): ListIntake | null {
  const runRowId = tx.runs.idOf(runId);
  const position = runRowId === null ? null : findListPosition(tx, runRowId);
  if (runRowId === null || position === null) {
    return null;
  }
  const sites = tx.all<{ siteId: number; waitingPages: number; isStopped: number }>`
    SELECT site_id AS siteId, waiting_pages AS waitingPages, stop IS NOT NULL AS isStopped FROM run_site
    WHERE run_id = ${runRowId} ORDER BY position`;
  return {
    ...position,
    waitingPages: sites.reduce((sum, { waitingPages }) => sum + waitingPages, 0),
    stoppedHosts: sites.filter(({ isStopped }) => isStopped === 1).map(({ siteId }) => tx.hosts.hostOf(siteId)),
  };
}

const SELECT_LIST_RUN = `SELECT r.name AS runId, r.state, r.ended_by AS endedBy, ${POSITION} FROM run_list l JOIN run r ON r.id = l.run_id
  WHERE l.source = @source AND l.path = @path AND r.kind <> 'planning' AND r.taken_over_by IS NULL ORDER BY l.run_id DESC`;

/** Reads: run_list by its rows, newest first. A ledger has few lists. */
export function findListRun(tx: ReadTx, { source, path }: Asked<"findListRun">): Answered<"findListRun"> {
  let isNewest = true;
  for (const { runId, state, endedBy, ...position } of tx.iterate<
    PositionRow & Pick<LeftRun, "state" | "endedBy"> & { readonly runId: string }
  >(SELECT_LIST_RUN, { source, path })) {
    const becoming = whatBecomes({ ...UNKNOWN, kind: source, state, endedBy }, { by: "file" });
    // An earlier run that a limit ended was followed by another one since.
    const isOver = isNewest && becoming.what === "left" && becoming.why === "limited";
    if (isOver || (becoming.what === "goes_on" && (isNewest || !isLimited(state)))) {
      return { runId, isOver, ...toPosition(position) };
    }
    isNewest = false;
  }
  return null;
}

/** Whether it is alive, and what it holds, is asked when it begins. */
const UNKNOWN = {
  isAlive: false,
  isTakenOver: false,
  hosts: [],
  reserved: 0,
  started: 0,
  limits: { maxPages: null, maxSpend: null },
} as const;
