/**
 * Names that `--json` had in earlier versions and still writes, so that scripts go on working. Each stands beside the name of today.
 */
import type { Explanation } from "../../agent/agent.ts";
import type { StatusReport } from "../../agent/reports/status-report.ts";

export function withFormerStatusNames(report: StatusReport): unknown {
  return {
    ...report,
    unfinished: report.unfinished.map((run) => ({ ...run, heldMicros: run.setAsideMicros })),
    pagesHeld: report.pagesStored,
  };
}

export function withFormerRecordName(explanation: Explanation): unknown {
  const { record } = explanation;
  return { ...explanation, record: record === null ? null : { ...record, held: record.stored } };
}
