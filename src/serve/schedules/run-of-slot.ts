/** Where rows of slots and runs meet: which run is that of an open slot, and what becomes of it now. */
import { readRuns } from "../../agent/reports/runs-agent.ts";
import { findUnfinished } from "../../agent/runs/find-unfinished.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { RunOverview } from "../../ledger/run-reports.ts";
import type { OpenSlot } from "../../ledger/schedule-ledger.ts";
import { whatBecomes } from "../../run/what-becomes.ts";
import type { ServiceContext } from "../service-part.ts";

/** Runs that took each other over, from that of a slot to the one that ended its work. */
const MAX_TAKEOVERS = 100;
/** The run of a slot that was claimed and not started is among so many runs of its site, the newest ones. */
const MAX_RUNS_SINCE_CLAIM = 20;

export interface RunOfSlot {
  readonly run: RunOverview;
  /** `over`: nobody goes on with it by itself. `waits`: somebody works on it, or what it had started is finished first. */
  readonly becomes: "goes_on" | "waits" | "over";
}

interface Deps extends Pick<ServiceContext, "config" | "resources"> {
  readonly ledger: Ledger;
}

/** @returns `none` when the slot began no run, `gone` when its run was pruned */
export async function findRunOfSlot(
  deps: Deps,
  slot: OpenSlot,
  host: string | null,
): Promise<RunOfSlot | "none" | "gone"> {
  const runId = slot.runId ?? (host === null ? null : await findUnrecordedRun(deps, slot, host));
  if (runId === null) {
    return "none";
  }
  const run = await findSuccessor(deps, runId, host);
  return run === null ? "gone" : { run, becomes: await askWhatBecomes(deps, run.runId) };
}

/** The service died between the beginning of the slot's run and the row that names it. */
async function findUnrecordedRun({ resources, ledger }: Deps, slot: OpenSlot, host: string): Promise<string | null> {
  const { runs } = await readRuns(resources, ledger, { host, limit: MAX_RUNS_SINCE_CLAIM });
  const isOfSlot = ({ trigger, hosts, startedAt }: RunOverview) =>
    trigger === "schedule" && hosts.length === 1 && startedAt >= slot.claimedAt;
  return runs.findLast(isOfSlot)?.runId ?? null;
}

/** The run, or the one that took it over at last. One that does not work on the site only ended what the run had open. */
async function findSuccessor(
  { resources, ledger }: Deps,
  runId: string,
  host: string | null,
): Promise<RunOverview | null> {
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

async function askWhatBecomes({ config, resources, ledger }: Deps, runId: string): Promise<RunOfSlot["becomes"]> {
  const run = (await findUnfinished(resources, ledger)).find((unfinished) => unfinished.runId === runId);
  if (run === undefined) {
    return "over";
  }
  const becoming = whatBecomes(run, { by: "service", configured: config.sites.map(({ host }) => host) });
  if (becoming.what === "goes_on") {
    return "goes_on";
  }
  return becoming.what === "left" && becoming.why !== "alive" ? "over" : "waits";
}
