/**
 * The work of one claimed slot, from its claim to its end. A slot of a site is a run; a slot of `report` is one report of what waits.
 *
 * What a service leaves open when it stops or dies is the next one's: a slot whose run never began begins it. A slot that has a run follows that
 * run, or the one that took it over: it goes on with this run where `whatBecomes` says that a service does, and never begins another one.
 */

import { type ConfiguredSchedule, REPORT_SCHEDULE } from "../../agent/reports/configured-schedules.ts";
import { describeError, isLicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { RunOverview } from "../../ledger/run-reports.ts";
import type { EndedSlotState, HeldSlot, OpenSlot } from "../../ledger/schedule-ledger.ts";
import { type Flushed, REPORTED_ELSEWHERE } from "../../pipeline/report/flush.ts";
import type { LiveRun, RunEnd } from "../runs/run-manager.ts";
import type { ServiceContext } from "../service-part.ts";
import { reportOnce } from "./report-once.ts";
import { findRunOfSlot, type RunOfSlot } from "./run-of-slot.ts";

export interface SlotWorker {
  /** Works on a slot that was just claimed, until its end. */
  begin(slot: HeldSlot, schedule: ConfiguredSchedule): Promise<void>;
  /**
   * Works on an open slot that an earlier service left.
   * @returns `open` when another process still works on its run: the slot is to be looked at again later
   */
  continue(slot: OpenSlot, schedule: ConfiguredSchedule | null): Promise<"ended" | "open">;
  /** Ends a slot. */
  end(slot: HeldSlot, end: SlotEnd): Promise<void>;
}

interface WorkerDeps {
  readonly context: Pick<ServiceContext, "config" | "resources" | "runs" | "bus" | "log" | "stopping">;
  readonly ledger: Ledger;
  /** Called with the run of a slot, once it is known. */
  readonly onRun: (slot: HeldSlot, runId: string) => void;
}

export function createSlotWorker({ context, ledger, onRun }: WorkerDeps): SlotWorker {
  const { resources, runs, log, stopping } = context;
  const report = createReportSlot(context);

  const end = async (slot: HeldSlot, { state, detail }: SlotEnd): Promise<void> => {
    if (!(await ledger.endSlot({ ...toKey(slot), state, detail, now: resources.clock.now() }))) {
      return;
    }
    const fields = { schedule: slot.schedule, slot: new Date(slot.slotAt).toISOString(), state };
    const message = `${slot.schedule}: the slot of ${fields.slot} ended as ${state}${detail === null ? "" : `: ${detail}`}`;
    // What comes of the reports is logged by their own file, once and not at each slot.
    log[state === "done" || slot.schedule === REPORT_SCHEDULE ? "debug" : state === "failed" ? "warn" : "info"](
      message,
      fields,
    );
  };

  /** Waits for the end of a run of this service. A run that the stopping service interrupts leaves its slot to the next service. */
  const follow = async (slot: HeldSlot, run: LiveRun): Promise<void> => {
    onRun(slot, run.runId);
    await ledger.startSlot({ ...toKey(slot), runId: run.runId });
    const ended = await run.ended;
    const state = ended.kind === "failed" ? "failed" : ended.report.state;
    // Another process has the run now: the slot ends when the run does.
    if (state !== "running" && !(stopping.aborted && (state === "interrupted" || state === "failed"))) {
      await end(slot, endOfRun(ended));
    }
  };

  const begin = async (slot: HeldSlot, { host }: ConfiguredSchedule): Promise<void> => {
    try {
      if (host === null) {
        await end(slot, await report());
        return;
      }
      const started = await runs.start({ trigger: "schedule", slot, hosts: [host] });
      if (started.kind === "started") {
        await follow(slot, started.run);
      } else if (!stopping.aborted) {
        await end(slot, { state: "refused", detail: started.detail });
      }
    } catch (error) {
      await end(slot, endOfError(error));
    }
  };

  const continueRun = async (
    slot: OpenSlot,
    { run, becomes }: RunOfSlot,
    host: string | null,
  ): Promise<"ended" | "open"> => {
    const live = runs.live().find(({ runId }) => runId === run.runId);
    if (live !== undefined) {
      await follow(slot, live);
      return "ended";
    }
    if (host === null && (run.state === "running" || run.state === "interrupted")) {
      const detail = `run ${run.runId} was interrupted, and the schedule was removed`;
      await end(slot, { state: "failed", detail });
      return "ended";
    }
    if (becomes === "over") {
      await ledger.startSlot({ ...toKey(slot), runId: run.runId });
      await end(slot, endOfState(run));
      return "ended";
    }
    return becomes === "goes_on" ? resume(slot, run.runId) : "open";
  };

  /** Goes on with the slot's own run, and never with another one. Whoever else goes on with it is followed at the next look. */
  const resume = async (slot: OpenSlot, runId: string): Promise<"ended" | "open"> => {
    try {
      const started = await runs.start({ trigger: "schedule", slot, hosts: [], options: { resume: runId } });
      if (started.kind === "busy") {
        return "open";
      }
      await follow(slot, started.run);
    } catch (error) {
      if (isLicetError(error, "RUN_NOT_FOUND")) {
        return "open";
      }
      await end(slot, endOfError(error));
    }
    return "ended";
  };

  return {
    begin,
    continue: async (slot, schedule) => {
      const host = schedule?.host ?? null;
      const found = await findRunOfSlot({ ...context, ledger }, slot, host);
      if (found === "gone") {
        await end(slot, { state: "failed", detail: `run ${slot.runId} is gone` });
        return "ended";
      }
      if (found !== "none") {
        return continueRun(slot, found, host);
      }
      if (schedule === null) {
        await end(slot, { state: "missed", detail: "the service ended before it began, and the schedule was removed" });
      } else {
        await begin(slot, schedule);
      }
      return "ended";
    },
    end,
  };
}

function toKey({ schedule, slotAt, process }: HeldSlot): HeldSlot {
  return { schedule, slotAt, process };
}

/**
 * A slot of the reports by the clock: sends what waits, also the uses that `licet use` recorded. What the gateway refuses or does not
 * answer waits for the next slot. A lasting failure has one line in the log, and its end another.
 */
function createReportSlot({
  resources,
  bus,
  log,
  stopping,
}: Pick<ServiceContext, "resources" | "bus" | "log" | "stopping">): () => Promise<SlotEnd> {
  let problem: string | null = null;
  return async () => {
    const end = await reportOnce(resources, bus, stopping).then(endOfReports, endOfError);
    if (stopping.aborted) {
      return { state: "done", detail: "the service stopped; it reports what waits as its last step" };
    }
    if (end.state === "failed") {
      const message = `reports by the clock: ${end.detail}`;
      log[problem === null ? "warn" : "debug"](message, { schedule: "report" });
      problem = message;
    } else if (problem !== null) {
      log.info("reports by the clock succeed again", { schedule: "report" });
      problem = null;
    }
    return end;
  };
}

/** What came of a slot, from the end of its work. */
interface SlotEnd {
  readonly state: EndedSlotState;
  /** A sentence, or null when there is nothing to add. */
  readonly detail: string | null;
}

function endOfRun(end: RunEnd): SlotEnd {
  return end.kind === "failed" ? { state: "failed", detail: end.error.message } : endOfState(end.report);
}

/** @param run a run that has ended */
function endOfState({ state, reason }: Pick<RunOverview, "state" | "reason">): SlotEnd {
  if (state === "completed") {
    return { state: "done", detail: reason };
  }
  const why = reason === null ? "" : `: ${reason}`;
  return { state: state === "failed" ? "failed" : "done", detail: `the run ended as ${state}${why}` };
}

function endOfReports({ uses, stopped }: Flushed): SlotEnd {
  const reported = uses === 0 ? null : `${uses} ${uses === 1 ? "use was" : "uses were"} reported`;
  if (stopped === null) {
    return { state: "done", detail: reported };
  }
  const detail = [reported, stopped].filter((part) => part !== null).join("; ");
  return { state: stopped === REPORTED_ELSEWHERE ? "done" : "failed", detail };
}

function endOfError(error: unknown): SlotEnd {
  return { state: "failed", detail: describeError(error) };
}
