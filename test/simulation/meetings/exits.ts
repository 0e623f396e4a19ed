/** What a command said when it ended, by its report and its exit code, against what happened. Judged at that instant: doubts are resolved later. */
import type { RunReport } from "../../../src/agent/runs/run-report.ts";
import { EXIT, exitCodeOfRun } from "../../../src/cli/exit-code.ts";
import type { Violation } from "../checks/evidence.ts";
import type { ProcessJob } from "../process.ts";
import type { World } from "../world.ts";
import { TAKEN_BACK } from "./taken-back.ts";

interface RunRow {
  readonly endedBy: string;
  /** Purchases in doubt, open, or counted as failed. */
  readonly unsaid: number;
}

export class Exits {
  readonly #world: World;
  #violation: Violation | null = null;

  constructor(world: World) {
    this.#world = world;
  }

  /** The first that said something else than what happened. */
  get violation(): Violation | null {
    return this.#violation;
  }

  /** A command that runs something. */
  watch(job: (...parameters: Parameters<ProcessJob>) => Promise<RunReport>): ProcessJob {
    return async (resources, bus, signal) => {
      const report = await job(resources, bus, signal);
      this.#violation ??= judgeReport(this.#world, report, signal.aborted);
      return report;
    };
  }

  /** A line of the log of a service. */
  hear(message: string): void {
    if (message.includes("ended: running")) {
      this.#violation ??= broken("log-says-an-end", message);
    }
  }
}

function judgeReport({ db }: World, report: RunReport, isInterrupted: boolean): Violation | null {
  const { runId, state, reason } = report;
  const row = db
    .prepare<[string], RunRow>(
      `SELECT r.ended_by AS endedBy, (SELECT count(*) FROM purchase p WHERE p.run_id = r.id
         AND (p.state IN ('in_doubt', 'started', 'reserved') OR (p.state = 'released' AND p.reason NOT IN (${TAKEN_BACK})))) AS unsaid
       FROM run r WHERE r.name = ?`,
    )
    .get(runId);
  const code = exitCodeOfRun(report);
  const said = `run ${runId} ended as ${state} (${reason}) with exit code ${code}`;
  if (row === undefined || report.skipped) {
    return null;
  }
  if (code === EXIT.done && row.unsaid > 0) {
    return broken("exit-says-what-is-left", `${said}, and ${row.unsaid} of its purchases failed, are open or in doubt`);
  }
  // Somebody stopped or cancelled it, or has it now. What stops its sites is not an interruption: it happens again each time.
  const isSomebodys = isInterrupted || state === "cancelled" || state === "running" || row.endedBy !== "itself";
  if (code === EXIT.interrupted && !isSomebodys) {
    return broken("exit-130-is-somebodys", `${said}, and nobody stopped it`);
  }
  return (state === "interrupted" || state === "failed") && (reason ?? "") === ""
    ? broken("end-has-a-why", said)
    : null;
}

function broken(rule: string, detail: string): Violation {
  return { promise: "liveness", rule, detail };
}
