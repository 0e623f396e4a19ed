/** How far lists were read. */

import { isLimited } from "../../../run/run-state.ts";
import { type LeftRun, whatBecomes } from "../../../run/what-becomes.ts";
import type { Ledger } from "../../ledger.ts";
import type { ListIntake, ListPosition, ListSource } from "../../list-ledger.ts";
import type { Connection } from "../engine/connection.ts";
import type { LedgerCore } from "../ledger-core.ts";

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

/** Of a run by its row; null when it has no list. */
export function createListPositions(db: Connection): (runRowId: number) => ListPosition | null {
  const select = db.prepare<[number], PositionRow>(`SELECT ${POSITION} FROM run_list l WHERE l.run_id = ?`);
  return (runRowId) => {
    const row = select.get(runRowId);
    return row === undefined ? null : toPosition(row);
  };
}

/** Reads: run_list, run_site. */
export function createReadIntake({ db, read, runs, hosts }: LedgerCore): Ledger["readIntake"] {
  const readPosition = createListPositions(db);
  const selectSites = db.prepare<[number], { siteId: number; waitingPages: number; isStopped: number }>(
    "SELECT site_id AS siteId, waiting_pages AS waitingPages, stop IS NOT NULL AS isStopped FROM run_site WHERE run_id = ? ORDER BY position",
  );
  return (runId) =>
    read((): ListIntake | null => {
      const runRowId = runs.idOf(runId);
      const position = runRowId === null ? null : readPosition(runRowId);
      if (runRowId === null || position === null) {
        return null;
      }
      const sites = selectSites.all(runRowId);
      return {
        ...position,
        waitingPages: sites.reduce((sum, { waitingPages }) => sum + waitingPages, 0),
        stoppedHosts: sites.filter(({ isStopped }) => isStopped === 1).map(({ siteId }) => hosts.hostOf(siteId)),
      };
    });
}

/** Reads: run_list by its rows, newest first. A ledger has few lists. */
export function createFindListRun({ db, read }: LedgerCore): Ledger["findListRun"] {
  const select = db.prepare<
    { source: string; path: string | null },
    PositionRow & Pick<LeftRun, "state" | "endedBy"> & { readonly runId: string }
  >(
    `SELECT r.name AS runId, r.state, r.ended_by AS endedBy, ${POSITION} FROM run_list l JOIN run r ON r.id = l.run_id
     WHERE l.source = @source AND l.path = @path AND r.taken_over_by IS NULL ORDER BY l.run_id DESC`,
  );
  return ({ source, path }) =>
    read(() => {
      let isNewest = true;
      for (const { runId, state, endedBy, ...position } of select.iterate({ source, path })) {
        const becoming = whatBecomes({ ...UNKNOWN, kind: source, state, endedBy }, { by: "file" });
        // An earlier run that a limit ended was followed by another one since.
        const isOver = isNewest && becoming.what === "left" && becoming.why === "limited";
        if (isOver || (becoming.what === "goes_on" && (isNewest || !isLimited(state)))) {
          return { runId, isOver, ...toPosition(position) };
        }
        isNewest = false;
      }
      return null;
    });
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
