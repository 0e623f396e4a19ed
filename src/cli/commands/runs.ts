import { Option } from "commander";
import { INPUTS } from "../../agent/calls/inputs.ts";
import {
  PURCHASE_STATE_FILTERS,
  type RunDetailsFilter,
  type RunFilter,
  type RunList,
} from "../../agent/reports/runs-report.ts";
import { LicetError } from "../../errors.ts";
import { type ListedRunKind, RUN_STATE_FILTERS } from "../../ledger/run-reports.ts";
import type { CliCommand } from "../cli-command.ts";
import type { ExitCode } from "../exit-code.ts";
import { parseText } from "../input/parse-arguments.ts";
import { parseHost } from "../output/host-name.ts";
import type { Layout } from "../output/layout.ts";
import { formatMore, section } from "../output/report-sections.ts";
import { formatFunnel, formatRunDetails } from "../reports/run-details.ts";
import { formatRuns } from "../reports/run-table.ts";
import type { Session } from "../session.ts";
import { followRun } from "../watch/follow-run.ts";

interface RunsFlags {
  readonly limit?: number;
  readonly site?: string;
  readonly license?: string;
  readonly state?: string;
  readonly follow?: true;
  readonly funnel?: true;
  readonly kind?: ListedRunKind;
  readonly from?: string;
  readonly to?: string;
  readonly cursor?: string;
}

export function declareRuns(command: CliCommand): void {
  command
    .argument("[run]", "a run's id")
    .limit("the most rows of a list (default: 20 runs, or 100 pages of one run)", INPUTS.runs.limit)
    .option("--site <host>", "only runs of this site, or pages of it", parseHost)
    .option("--license <license>", "of one run: only pages under this licence, by its type or its cuid")
    .choice("--state <state>", "only runs in this state; of one run, only pages in it", [
      ...INPUTS.runs.state.schema.options,
      ...INPUTS.runDetails.state.schema.options,
    ])
    .choice("--kind <kind>", "only runs of this kind", INPUTS.runs.kind.schema.options)
    .option("--from <day>", "only runs that began on this UTC day or later", parseText(INPUTS.runs.from))
    .option("--to <day>", "only runs that began on this UTC day or before", parseText(INPUTS.runs.to))
    .cursor(INPUTS.runs.cursor)
    .option(
      "--funnel",
      "of one run: how far its pages came, with the money of each step, and its configuration as it was",
    )
    .addOption(
      new Option(
        "--follow",
        "show the work of a run as it happens, until it ends, with its exit code (default: the newest one at work)",
      ).conflicts(["limit", "site", "license", "state"]),
    )
    .examples([
      ["licet runs", ""],
      ["licet runs --follow run_0mi5c2k1x8f3a2b4c5d6", "until it ends, also a run of the service"],
      ["licet runs --state died", "runs whose process ended unexpectedly"],
      ["licet runs run_0mi5c2k1x8f3a2b4c5d6", "what one run bought"],
      ["licet runs run_0mi5c2k1x8f3a2b4c5d6 --state in_doubt", "what of it may have been charged"],
      ["licet runs run_0mi5c2k1x8f3a2b4c5d6 --json | jq .purchases", "for a program"],
    ])
    .does((session, runId: string | undefined, flags: RunsFlags) => {
      if (flags.follow === true) {
        return session.withLedger((agent) => followRun(session, agent, runId));
      }
      if (runId !== undefined && flags.funnel === true) {
        return session.answerFromLedger((agent) => agent.runFunnel(runId), formatFunnel);
      }
      return runId === undefined ? listRuns(session, flags) : showRun(session, runId, flags);
    });
}

function listRuns(
  session: Session,
  { limit, site, license, state, kind, from, to, cursor }: RunsFlags,
): Promise<ExitCode> {
  if (license !== undefined) {
    throw new LicetError("USAGE_INVALID", "--license chooses pages of one run: name the run", {
      hint: "licet runs RUN --license LICENSE",
    });
  }
  const filter: RunFilter = { limit, site, kind, from, to, cursor, state: chooseState(state, RUN_STATE_FILTERS) };
  const command = repeat(session, "", { site, state, kind, from, to });
  return session.answerFromLedger(
    (agent) => agent.runs(filter),
    (list, layout) => formatRunList(list, command, layout),
  );
}

function showRun(session: Session, runId: string, { limit, site, license, state }: RunsFlags): Promise<ExitCode> {
  const filter: RunDetailsFilter = { limit, site, license, state: chooseState(state, PURCHASE_STATE_FILTERS) };
  const command = repeat(session, ` ${runId}`, { site, license, state });
  return session.answerFromLedger(
    (agent) => agent.runDetails(runId, filter),
    (details, layout) => formatRunDetails(details, command, layout),
  );
}

/** The same option has other words for the runs than for the pages of a run. */
function chooseState<State extends string>(text: string | undefined, states: readonly State[]): State | undefined {
  const state = states.find((known) => known === text);
  if (state === undefined && text !== undefined) {
    throw new LicetError("USAGE_INVALID", `--state ${text} is not a state of this list`, {
      hint: `It is one of ${states.join(", ")}.`,
    });
  }
  return state;
}

/** The command again, to be given another limit. */
function repeat(session: Session, run: string, options: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [` --${name} ${value}`],
  );
  return `licet runs${run}${given.join("")}${session.configArgument}`;
}

/** @param command lists the same runs; for more of them, it takes another limit */
export function formatRunList({ runs, total }: RunList, command: string, layout: Layout): string {
  if (runs.length === 0) {
    return "No run matches.\n";
  }
  const more = formatMore({ items: runs, total, command: `${command} --limit ${total}` }, layout);
  return section("Runs (UTC), the newest first", formatRuns(runs, layout) + more, layout)
    .join("")
    .replace(/^\n/, "");
}
