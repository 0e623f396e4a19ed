/**
 * The states of runs as pieces of SQL. A run that another one took over is over, but while what it had started is being asked for:
 * then it is `running` in the hands of the other.
 */
import { UNFINISHED_STATES } from "../../run-ledger.ts";

/** Of table `run`. The index `run_unfinished` serves it. */
export const IS_UNFINISHED = `kind = 'run' AND state IN (${UNFINISHED_STATES.map((state) => `'${state}'`).join(", ")}) AND (taken_over_by IS NULL OR state = 'running')`;
