/** What a run does first: it finishes what dead processes have left. */
import type { Begun, TakenOver } from "../../ledger/run-ledger.ts";
import { probeKept } from "../../pipeline/probe/probe-started.ts";
import type { StageDeps } from "../../pipeline/stage-deps.ts";
import { keepRun } from "../../pipeline/work/keep-run.ts";
import type { CrawlRequest } from "./run-crawl.ts";
import { failRun } from "./run-end.ts";
import type { TakenOverRun } from "./run-report.ts";

/**
 * Takes over the runs of dead processes: warns about them, probes their started purchases, and ends them. Their charges belong to
 * those runs.
 */
export async function takeOver(
  deps: StageDeps,
  { spec, takenOver }: Extract<Begun, { kind: "begun" }>,
  { process, signal }: Pick<CrawlRequest, "process" | "signal">,
): Promise<readonly TakenOverRun[]> {
  const { ledger, clock, events } = deps;
  const reports: TakenOverRun[] = [];
  // Both runs are kept alive during the probes: this run and the run that is taken over.
  const kept = keepRun(deps, { runId: spec.runId, process }, signal);
  for (const left of takenOver) {
    events.warned(describeTakenOver(left));
  }
  try {
    for (const { runId, state, released, started } of takenOver) {
      if (started > 0 && (await probeKept(deps, { runId, process }, kept.signal))) {
        const reason = `run ${spec.runId} took it over`;
        const end = state === "failed" ? state : "interrupted";
        await ledger.endRun({ runId, state: end, reason, now: clock.now(), process });
      }
      const { pages } = await ledger.readRun(runId);
      reports.push({ runId, released, probed: started, inDoubt: pages.inDoubt });
    }
  } catch (error) {
    return await failRun(deps, { runId: spec.runId, process }, error);
  } finally {
    kept.stop();
  }
  return reports;
}

function describeTakenOver({ runId, state, released, started, isResumable }: TakenOver): string {
  const how = state === "running" ? "ended unexpectedly" : state === "failed" ? "had failed" : "was interrupted";
  const left =
    released + started === 0
      ? "it left nothing open"
      : `${released} reserved pages are released, ${started} started pages are probed`;
  return isResumable
    ? `run ${runId} ${how}: ${left}; it can still be resumed: licet run --resume ${runId}`
    : `run ${runId} ${how} and is taken over: ${left}`;
}
