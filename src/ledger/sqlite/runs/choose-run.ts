/** Which earlier run goes on when a run is asked for. Called within a write. */

import { LicetError } from "../../../errors.ts";
import { KINDS, RUN_KINDS } from "../../../run/kinds.ts";
import { isLimited } from "../../../run/run-state.ts";
import { type Asker, type LeftRun, type WhyLeft, whatBecomes } from "../../../run/what-becomes.ts";
import type { BeginRun } from "../../run-ledger.ts";
import type { ReadTx } from "../operation.ts";
import type { Reopening } from "./reopened-run.ts";
import { findRun, type RunRow, toOwnLimits } from "./run-rows.ts";
import type { UnfinishedRow } from "./unfinished-runs.ts";

/** The kinds of runs that `--resume` without a name goes on with. */
const NAMELESS = RUN_KINDS.filter((kind) => ["next_run_of_its_sites", "same_file"].includes(KINDS[kind].goesOnWith));

const NO_LIMITS = toOwnLimits({ maxPages: null, maxSpendMicros: null, maxSpendCurrency: null });

const SELECT_NEWEST = `SELECT name FROM run WHERE kind IN (${NAMELESS.map((kind) => `'${kind}'`).join(", ")}) ORDER BY id DESC LIMIT 1`;

/** @returns null for a new run */
export function chooseRun(
  tx: ReadTx,
  { which }: BeginRun,
  unfinished: readonly UnfinishedRow[],
  asker: Extract<Asker, { by: "run" }>,
): Reopening | null {
  switch (which.kind) {
    case "named":
      return findNamed(tx, which.runId, unfinished, which.asker);
    case "newest":
      return findNewest(tx, unfinished);
    case "interrupted": {
      const same = unfinished.findLast((run) => whatBecomes(run, asker).what === "goes_on");
      return same === undefined ? null : toReopening(same);
    }
    case "fresh":
    case "list":
      return null;
    case "webhook":
      return findByKey(tx, which.key, unfinished);
    default:
      return which satisfies never;
  }
}

function toReopening({ id, runId, state, kind }: UnfinishedRow): Reopening {
  return { id, name: runId, state, kind };
}

function toLeft(row: RunRow, unfinished: readonly UnfinishedRow[]): LeftRun {
  // What is over holds nothing, and no process works on it.
  const over = { isAlive: false, reserved: 0, started: 0, hosts: [], limits: NO_LIMITS };
  return unfinished.find(({ id }) => id === row.id) ?? { ...over, ...row, isTakenOver: row.successorRowId !== null };
}

/** @throws LicetError RUN_NOT_FOUND when it cannot be resumed */
function findNamed(
  tx: ReadTx,
  name: string,
  unfinished: readonly UnfinishedRow[],
  asker: Asker = { by: "name" },
): Reopening {
  const row = findRun(tx, name);
  if (row === null || row.kind === "planning") {
    throw refuse(name, `there is no run ${name}`, "`licet status` lists the runs.");
  }
  const run = toLeft(row, unfinished);
  // Whoever asks for a run that is alive is told who has it.
  const becoming = whatBecomes(run, run.isAlive ? { by: "name" } : asker);
  if (asker.by === "service" && !run.isAlive && becoming.what !== "goes_on") {
    throw refuse(name, `run ${name} is not left any more`, "Somebody stopped it.");
  }
  if (becoming.what === "left") {
    const successor = row.successorRowId === null ? null : tx.runs.nameOf(row.successorRowId);
    throw refuseNamed(name, row, becoming.why, successor);
  }
  return { id: row.id, name, state: row.state, kind: row.kind };
}

/** The webhook run of the day goes on however it ended. What a person ended stays ended until the day is over. */
function findByKey(tx: ReadTx, key: string, unfinished: readonly UnfinishedRow[]): Reopening | null {
  const name = tx.value<string>`SELECT name FROM run WHERE key = ${key}`;
  const row = name === undefined ? null : findRun(tx, name);
  if (name === undefined || row === null) {
    return null;
  }
  const becoming = whatBecomes(toLeft(row, unfinished), { by: "notification" });
  if (becoming.what === "left") {
    throw refuse(
      name,
      `webhook run ${name} was ${becoming.why === "cancelled" ? "cancelled" : "stopped by a person"}`,
      "Its notifications wait for the run of the next UTC day.",
    );
  }
  return { id: row.id, name, state: row.state, kind: row.kind };
}

/** The newest unfinished one, unless the newest of all is one that a limit ended. One that is alive comes last: it needs nobody. */
function findNewest(tx: ReadTx, unfinished: readonly UnfinishedRow[]): Reopening {
  const newest = tx.value<string>(SELECT_NEWEST) ?? null;
  const row = newest === null ? null : findRun(tx, newest);
  if (newest !== null && row?.successorRowId === null && isLimited(row.state)) {
    return findNamed(tx, newest, unfinished);
  }
  const open = unfinished.filter(({ successorRowId, kind }) => successorRowId === null && NAMELESS.includes(kind));
  const found = open.findLast(({ isAlive }) => !isAlive) ?? open.at(-1);
  if (found === undefined) {
    throw new LicetError("RUN_NOT_FOUND", "there is no unfinished run to resume", {
      hint: "start a new one: licet run",
    });
  }
  return findNamed(tx, found.runId, unfinished);
}

function refuseNamed(name: string, { kind, state }: RunRow, why: WhyLeft, successor: string | null): LicetError {
  switch (why) {
    case "taken_over":
      return refuse(
        name,
        `run ${name} was taken over by ${successor}`,
        "Resume that run, or start a new one: licet run",
      );
    case "limited":
      return refuse(
        name,
        `run ${name} is over: its notifications wait for the next webhook run`,
        "licet serve starts it.",
      );
    case "other_kind":
      return refuse(
        name,
        `run ${name} is a ${kind}: it is not resumed`,
        "Fetch the pages again: what was bought is held.",
      );
    default:
      return refuse(name, `run ${name} is over: ${state}`, "A new run continues with what it left: licet run");
  }
}

function refuse(runId: string, message: string, hint: string): LicetError {
  return new LicetError("RUN_NOT_FOUND", message, { hint, details: { runId } });
}
