/** What came of a slot, from the end of its work. */

import { messageOf } from "../../errors.ts";
import type { RunOverview } from "../../ledger/run-reports.ts";
import type { EndedSlotState } from "../../ledger/schedule-ledger.ts";
import { type Flushed, REPORTED_ELSEWHERE } from "../../pipeline/report/flush.ts";
import type { RunEnd } from "../runs/run-manager.ts";

export interface SlotEnd {
  readonly state: EndedSlotState;
  /** A sentence, or null when there is nothing to add. */
  readonly detail: string | null;
}

export function endOfRun(end: RunEnd): SlotEnd {
  return end.kind === "failed" ? { state: "failed", detail: end.error.message } : endOfState(end.report);
}

/** @param run a run that has ended */
export function endOfState({ state, reason }: Pick<RunOverview, "state" | "reason">): SlotEnd {
  if (state === "completed") {
    return { state: "done", detail: reason };
  }
  const why = reason === null ? "" : `: ${reason}`;
  return { state: state === "failed" ? "failed" : "done", detail: `the run ended as ${state}${why}` };
}

export function endOfReports({ uses, stopped }: Flushed): SlotEnd {
  const reported = uses === 0 ? null : `${uses} ${uses === 1 ? "use was" : "uses were"} reported`;
  if (stopped === null) {
    return { state: "done", detail: reported };
  }
  const detail = [reported, stopped].filter((part) => part !== null).join("; ");
  return { state: stopped === REPORTED_ELSEWHERE ? "done" : "failed", detail };
}

export function endOfError(error: unknown): SlotEnd {
  return { state: "failed", detail: messageOf(error) };
}
