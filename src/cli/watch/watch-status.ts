/** `licet status --watch`: the status as it changes, until Ctrl-C. */
import type { Agent } from "../../agent/agent.ts";
import type { StatusReport } from "../../agent/reports/status-report.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { formatSpend, plural } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { describeWait } from "../reports/wait-lines.ts";
import type { Session } from "../session.ts";
import { watch } from "./watch.ts";

export async function watchStatus(
  session: Session,
  agent: Agent,
  {
    expiring,
    format,
  }: { readonly expiring: string | undefined; readonly format: (report: StatusReport, layout: Layout) => string },
): Promise<ExitCode> {
  await watch<StatusReport>(session, {
    look: () => agent.status({ expiring }),
    frame: format,
    line: describeStatus,
    document: (report) => report,
    isOver: () => false,
    farewell: "the status is not watched any more: what works goes on",
  });
  return EXIT.interrupted;
}

function describeStatus({ today, unfinished, waits, totals }: StatusReport): string {
  const pages = Object.values(today.spend);
  const sum = (of: (day: (typeof pages)[number]) => number) => pages.reduce((total, day) => total + of(day), 0);
  const atWork = unfinished.filter(({ isAlive }) => isAlive).map(({ runId }) => runId);
  return [
    `${today.day}: ${formatSpend(today.spend)}`,
    `${sum(({ bought }) => bought)} bought, ${sum(({ failed }) => failed)} failed`,
    atWork.length === 0 ? "no run at work" : `at work: ${atWork.join(", ")}`,
    ...waits.map((wait) => `${wait.runId ?? "the service"} ${describeWait(wait)}`),
    `${totals.inDoubt} in doubt, ${plural(totals.openItems, "open item")}`,
  ].join("; ");
}
