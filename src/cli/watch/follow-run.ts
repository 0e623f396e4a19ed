/** `licet runs --follow RUN`: the work of a run as it happens, whatever process works on it, and the exit code of the run. */
import type { Agent } from "../../agent/agent.ts";
import type { ListedRun } from "../../agent/reports/runs-report.ts";
import type { RunReport } from "../../agent/runs/run-report.ts";
import { LicetError } from "../../errors.ts";
import { EXIT, type ExitCode, exitCodeOfRun } from "../exit-code.ts";
import { formatDuration, formatSpend } from "../output/format-values.ts";
import { formatHost } from "../output/host-name.ts";
import type { Layout } from "../output/layout.ts";
import { formatLine } from "../output/text-table.ts";
import { formatRun } from "../reports/run-summary.ts";
import { describeEnd, stateOf, toneOfState } from "../reports/run-table.ts";
import { describeWait } from "../reports/wait-lines.ts";
import type { Session } from "../session.ts";
import { watch } from "./watch.ts";

/** A run that a service stops goes on at once when it only paused: it is over when it was seen so often without going on. */
const LOOKS_WITHOUT_WORK = 6;

interface SeenRun {
  readonly report: RunReport;
  readonly run: ListedRun;
  readonly isOver: boolean;
}

/** @param runId undefined: the newest run at work. @throws LicetError RUN_NOT_FOUND */
export async function followRun(session: Session, agent: Agent, runId: string | undefined): Promise<ExitCode> {
  const followed = runId ?? (await findAtWork(agent));
  let withoutWork = 0;
  const last = await watch<SeenRun>(session, {
    look: async () => {
      const report = await agent.runStatus(followed);
      const [run] = (await agent.runs({ run: followed, limit: 1 })).runs;
      if (run === undefined) {
        throw new LicetError("RUN_NOT_FOUND", `there is no run ${followed}`, { details: { runId: followed } });
      }
      const isPaused = report.state === "interrupted" && report.endedBy === "service";
      withoutWork = isPaused ? withoutWork + 1 : 0;
      const isAtWork = report.state === "running" && run.died === null;
      return { report, run, isOver: !isAtWork && (!isPaused || withoutWork >= LOOKS_WITHOUT_WORK) };
    },
    frame: formatFrame,
    line: ({ report, run }) =>
      [
        `${run.runId} ${stateOf(run)}: ${describeCounts(report)}`,
        formatSpend(report.spend),
        ...describeWaits(run),
      ].join("; "),
    document: ({ report, run: { waits } }) => ({ ...report, waits }),
    isOver: ({ isOver }) => isOver,
    farewell: `run ${followed} is not followed any more: it goes on`,
  });
  return last === null ? EXIT.interrupted : exitCodeOfRun(last.report);
}

async function findAtWork(agent: Agent): Promise<string> {
  const [run] = (await agent.runs({ state: "running", limit: 1 })).runs;
  if (run === undefined) {
    throw new LicetError("RUN_NOT_FOUND", "no run is at work", {
      hint: "`licet runs` lists the runs: name one.",
      details: { runId: "" },
    });
  }
  return run.runId;
}

function formatFrame({ report, run, isOver }: SeenRun, layout: Layout): string {
  if (isOver && run.died === null) {
    return formatRun(report, layout);
  }
  const state = stateOf(run);
  const sites = run.hosts.map(formatHost).join(", ");
  const head = `Run ${run.runId} (${run.trigger}) of ${sites}: ${state} for ${formatDuration(report.durationMs)}`;
  const lines = [describeCounts(report), formatSpend(report.spend), ...describeEnd(run), ...describeWaits(run)];
  return [
    formatLine(head, layout, { tone: toneOfState(state) }),
    ...lines.map((line) => formatLine(line, layout, { indent: "  " })),
  ].join("");
}

function describeWaits({ waits }: ListedRun): string[] {
  return waits.map(describeWait);
}

function describeCounts({ pages }: RunReport): string {
  const { seen, approved, denied, bought, failed, inDoubt } = pages;
  return `${seen} seen, ${approved} approved, ${denied} denied, ${bought} bought, ${failed} failed, ${inDoubt} in doubt`;
}
