/**
 * The work of one claimed slot, from its claim to its end. A slot of a site is a run; a slot of `report` is one report of what waits.
 *
 * What a service leaves open when it stops or dies is the next one's: a slot whose run never began begins it, and a slot whose run was
 * interrupted follows the run that continues it. The run itself begins at most once a site (the ledger and the run manager see to that),
 * so a slot is never two runs side by side.
 */
import { type ConfiguredSchedule, REPORT_SCHEDULE } from "../../agent/reports/configured-schedules.ts";
import { readRuns } from "../../agent/reports/runs-agent.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { RunOverview } from "../../ledger/run-reports.ts";
import type { HeldSlot, OpenSlot } from "../../ledger/schedule-ledger.ts";
import type { LiveRun } from "../runs/run-manager.ts";
import type { ServiceContext } from "../service-part.ts";
import { createReportSlot } from "./report-slot.ts";
import { endOfError, endOfRun, endOfState, type SlotEnd } from "./slot-end.ts";

/** Runs that took each other over, from that of a slot to the one that ended its work. */
const MAX_TAKEOVERS = 100;

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
  readonly context: Pick<ServiceContext, "resources" | "runs" | "bus" | "log" | "stopping">;
  readonly ledger: Ledger;
  /** Called with the run of a slot, once it is known. */
  readonly onRun: (slot: HeldSlot, runId: string) => void;
}

export function createSlotWorker({ context, ledger, onRun }: WorkerDeps): SlotWorker {
  const { resources, runs, log, stopping } = context;
  const { clock } = resources;
  const report = createReportSlot(context);

  const end = async (slot: HeldSlot, { state, detail }: SlotEnd): Promise<void> => {
    if (!(await ledger.endSlot({ ...toKey(slot), state, detail, now: clock.now() }))) {
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

  const beginRun = async (slot: HeldSlot, host: string): Promise<"began" | SlotEnd> => {
    const started = await runs.start({ trigger: "schedule", hosts: [host] });
    if (started.kind === "started") {
      await follow(slot, started.run);
      return "began";
    }
    return { state: "refused", detail: started.detail };
  };

  const begin = async (slot: HeldSlot, { host }: ConfiguredSchedule): Promise<void> => {
    try {
      if (host === null) {
        await end(slot, await report());
        return;
      }
      const began = await beginRun(slot, host);
      if (began !== "began" && !stopping.aborted) {
        await end(slot, began);
      }
    } catch (error) {
      await end(slot, endOfError(error));
    }
  };

  const continueRun = async (slot: OpenSlot, runId: string, host: string | null): Promise<"ended" | "open"> => {
    const run = await findRun({ resources, ledger, host }, runId);
    const live = run === null ? undefined : runs.live().find((one) => one.runId === run.runId);
    if (live !== undefined) {
      await follow(slot, live);
      return "ended";
    }
    if (run !== null && !run.isAlive && run.state !== "running" && run.state !== "interrupted") {
      await ledger.startSlot({ ...toKey(slot), runId: run.runId });
      await end(slot, endOfState(run));
      return "ended";
    }
    if (run === null || host === null) {
      const gone = run === null ? `run ${runId} is gone` : `run ${run.runId} was interrupted`;
      await end(slot, { state: "failed", detail: `${gone}, and the schedule was removed` });
      return "ended";
    }
    try {
      // Resumes it, or takes it over.
      return (await beginRun(slot, host)) === "began" ? "ended" : "open";
    } catch (error) {
      await end(slot, endOfError(error));
      return "ended";
    }
  };

  return {
    begin,
    continue: async (slot, schedule) => {
      const { runId } = slot;
      if (runId !== null) {
        return continueRun(slot, runId, schedule?.host ?? null);
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

interface FindRunDeps extends Pick<ServiceContext, "resources"> {
  readonly ledger: Ledger;
  /** Null: of any sites. */
  readonly host: string | null;
}

/**
 * The slot's run, or the one that took it over at last. A run of other sites also takes over what died, but it only ends the open
 * purchases of that run: it does not do the work of this slot.
 */
async function findRun({ resources, ledger, host }: FindRunDeps, runId: string): Promise<RunOverview | null> {
  const read = async (id: string) => (await readRuns(resources, ledger, { runId: id, limit: 1 })).runs[0] ?? null;
  let run = await read(runId);
  for (let hops = 0; run !== null && run.takenOverBy !== null && hops < MAX_TAKEOVERS; hops++) {
    const next = await read(run.takenOverBy);
    if (next === null || (host !== null && !next.hosts.includes(host))) {
      return run;
    }
    run = next;
  }
  return run;
}

function toKey({ schedule, slotAt, process }: HeldSlot): HeldSlot {
  return { schedule, slotAt, process };
}
