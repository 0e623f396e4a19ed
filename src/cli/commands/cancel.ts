import type { ActingOptions } from "../../agent/acts/acted-by.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { CancelReport } from "../../agent/runs/run-report.ts";
import type { CliCommand } from "../cli-command.ts";
import { type ExitCode, exitCodeOfCancel } from "../exit-code.ts";
import { watchInterrupts } from "../interrupts.ts";
import { createEventLog } from "../log/event-log.ts";
import type { Layout } from "../output/layout.ts";
import { formatRun } from "../reports/run-summary.ts";
import type { Session } from "../session.ts";

export function declareCancel(command: CliCommand): void {
  command
    .argument("<run>", "its id, from `licet status`")
    .acting(INPUTS.cancel)
    .examples([
      ["licet status", "lists the runs that have not ended, with their reservations"],
      ["licet cancel run_0mi5c2k1x8f3a2b4c5d6", ""],
      ['licet cancel run_0mi5c2k1x8f3a2b4c5d6 --by anna --reason "wrong list"', "kept in licet log"],
    ])
    .does(cancel);
}

function cancel(session: Session, runId: string, flags: ActingOptions): Promise<ExitCode> {
  return session.withAgent(async (agent) => {
    const interrupts = watchInterrupts(session.io, {
      say: createEventLog(session.io, session.logging).warn,
      finishing: "started purchases are being finished",
      farewell: () => `continue with: licet cancel ${runId}${session.configArgument}`,
    });
    try {
      const report = await agent.cancel(runId, { ...flags, signal: interrupts.signal });
      await session.print(report, (layout) => formatCancelled(report, layout));
      return exitCodeOfCancel(report);
    } finally {
      interrupts.stop();
    }
  });
}

function formatCancelled(report: CancelReport, layout: Layout): string {
  const { released, probed } = report;
  return `${formatRun(report, layout)}\n${released} reserved pages were released, ${probed} started pages were probed.\n`;
}
