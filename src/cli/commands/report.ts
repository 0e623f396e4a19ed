import type { FlushReport } from "../../agent/agent.ts";
import { plainText } from "../../plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import { type ExitCode, exitCodeOfFlush } from "../exit-code.ts";
import { watchInterrupts } from "../interrupts.ts";
import { createEventLog } from "../log/event-log.ts";
import { formatCharged, plural } from "../output/format-values.ts";
import { listen } from "../progress/progress-counts.ts";
import type { Session } from "../session.ts";

export function declareReport(command: CliCommand): void {
  command
    .option("--retry-rejected", "report rejected uses again, after a wrong setting was corrected")
    .examples([
      ["licet report", ""],
      ["licet report --retry-rejected", "never accepted uses"],
      ["licet report --json | jq .pending", "how much is left"],
    ])
    .does(report);
}

interface ReportFlags {
  readonly retryRejected?: boolean;
}

function report(session: Session, { retryRejected = false }: ReportFlags): Promise<ExitCode> {
  return session.withAgent(async (agent) => {
    const log = createEventLog(session.io, session.logging);
    const interrupts = watchInterrupts(session.io, {
      say: log.warn,
      finishing: "the report in flight is being finished",
      farewell: () => "what is not reported stays pending",
    });
    const listeners = [
      listen(agent, "warning", ({ message }) => log.warn(message)),
      listen(agent, "usage.reported", ({ uses, entries }) =>
        log.info(`${plural(uses, "use")} reported`, { uses, entries }),
      ),
    ];
    let flushed: FlushReport;
    try {
      flushed = await agent.report({ signal: interrupts.signal, retryRejected });
    } finally {
      for (const stop of listeners) {
        stop();
      }
      interrupts.stop();
    }
    await session.print(flushed, () => formatFlush(flushed));
    return exitCodeOfFlush(flushed, interrupts.interrupted());
  });
}

export function formatFlush(flushed: FlushReport): string {
  const { reported, batches, rejectedEntries, pending, needsReconcile, stopped, retried } = flushed;
  return [
    retried === 0
      ? ""
      : `${plural(retried, "use")} that had been rejected ${retried === 1 ? "waits" : "wait"} again.\n`,
    `Reported ${plural(reported, "use")} in ${plural(batches, "batch", "batches")}; ${pending} pending.\n`,
    formatCharged(flushed),
    rejectedEntries === 0
      ? ""
      : `${plural(rejectedEntries, "entry", "entries")} rejected by the gateway: see licet status, and licet report --retry-rejected.\n`,
    needsReconcile === 0
      ? ""
      : `${plural(needsReconcile, "use")} without an answer for too long to be sent again: licet status lists the reports, licet resolve REPORT --taken or --not-taken resolves them.\n`,
    stopped === null ? "" : `Reporting stopped: ${plainText(stopped)}\n`,
  ].join("");
}
