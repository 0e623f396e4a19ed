/**
 * How a run ended that has nothing left to do. The rule of `completed` stands here: it is never said of a run with pages left. A drained run has
 * no batch left, so pages are left only where a list was not read to its end, and on sites that something stopped. A limit has its own state. A
 * site that this configuration lacks is another configuration's: the run waits for it. What the gateway's answers stopped counts as failed.
 */
import { messageOf } from "../../errors.ts";
import { ANSWERED_STOPS } from "../../ledger/answered-stops.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { RunSummary, SiteSummary } from "../../ledger/ledger-reports.ts";
import type { StageDeps } from "../../pipeline/stage-deps.ts";
import type { RunState } from "../../run/run-state.ts";
import { describeUnread } from "../lists/run-list.ts";

/** These stops do not make a run fail: it did all its work, like any other run with failed pages. */
const STOPS_OF_A_COMPLETED_RUN: ReadonlySet<string> = new Set(ANSWERED_STOPS);

interface RunEnd {
  readonly state: Exclude<RunState, "running">;
  readonly reason: string | null;
}

/** Records that an error ended the run, unless the run pauses for it. @throws the error */
export async function failRun(
  { ledger, clock, outagePolicy }: Pick<StageDeps, "ledger" | "clock" | "outagePolicy">,
  { runId, process }: { readonly runId: string; readonly process: string },
  error: unknown,
): Promise<never> {
  if (!outagePolicy.pausesFor(error)) {
    const reason = messageOf(error);
    await ledger.endRun({ runId, state: "failed", reason, now: clock.now(), process });
  }
  throw error;
}

/** A run that did all that it could waits for the rest of its list, which nobody gave again, or which only names stopped sites. */
export async function findRunEnd(ledger: Pick<Ledger, "readIntake">, summary: RunSummary): Promise<RunEnd> {
  const end = toRunEnd(summary);
  if (end.state !== "completed") {
    return end;
  }
  const position = await ledger.readIntake(summary.runId);
  if (position !== null && !position.isRead) {
    return { state: "interrupted", reason: describeUnread(position, summary) };
  }
  const elsewhere = summary.sites.filter(isLeftToOthers);
  return elsewhere.length === 0 ? end : { state: "interrupted", reason: describeElsewhere(summary.runId, elsewhere) };
}

function isLeftToOthers({ stop, walkEnded, undecided, open }: SiteSummary): boolean {
  return stop === "not_configured" && (!walkEnded || undecided + open > 0);
}

function describeElsewhere(runId: string, sites: readonly SiteSummary[]): string {
  const hosts = sites.map(({ host }) => host).join(", ");
  return `${hosts} ${sites.length === 1 ? "is" : "are"} not configured here, and the pages left there wait: go on under a configuration that has ${sites.length === 1 ? "it" : "them"} (licet run --resume ${runId}), or give them up: licet cancel ${runId}`;
}

/** Decides how a drained run ended: by a limit, by the failure of every site, or completed. */
function toRunEnd({ sites, pages, denials }: RunSummary): RunEnd {
  // A budget covers only pages of its currency. Those pages are left, even if their site continued in another currency.
  if ((denials.budget_exhausted ?? 0) > 0) {
    const stopped = sites.find(({ stop }) => stop === "budget_exhausted");
    const [label = null] = sites.flatMap(({ exhausted }) => Object.values(exhausted));
    return { state: "budget_exhausted", reason: stopped?.stopDetail ?? label };
  }
  for (const state of ["budget_exhausted", "max_spend", "max_pages"] as const) {
    const site = sites.find(({ stop }) => stop === state);
    if (site !== undefined) {
      return { state, reason: site.stopDetail };
    }
  }
  // A site that this configuration lacks is not a failure.
  const wanted = sites.filter(({ stop }) => stop !== "not_configured");
  const isFailed = ({ stop }: (typeof sites)[number]) => stop !== null && !STOPS_OF_A_COMPLETED_RUN.has(stop);
  if (wanted.length > 0 && pages.bought === 0 && wanted.every(isFailed)) {
    return {
      state: "failed",
      reason: wanted.map(({ host, stopDetail }) => `${host}: ${stopDetail ?? "stopped"}`).join("; "),
    };
  }
  return { state: "completed", reason: null };
}
