import type { ActingOptions } from "../../agent/acts/acted-by.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { PurgeReport } from "../../agent/rights/rights-report.ts";
import { plainText } from "../../plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import { type ExitCode, exitCodeOfPurge } from "../exit-code.ts";
import { TRUST_CLOCK } from "../input/parse-arguments.ts";
import { formatInstant, plural } from "../output/format-values.ts";
import { formatHost } from "../output/host-name.ts";
import type { Layout } from "../output/layout.ts";
import { listTable } from "../output/text-table.ts";
import type { Session } from "../session.ts";

/** Versions that the table shows; `--json` has more. */
const MAX_SHOWN = 20;

interface PurgeFlags extends ActingOptions {
  readonly dryRun?: boolean;
  readonly url?: string[];
  readonly yes?: boolean;
  readonly trustClock?: true;
}

export function declarePurge(command: CliCommand): void {
  command
    .argument("[host...]", "only these sites")
    .option("--dry-run", "show what would be removed, and remove nothing")
    .option(
      "--url <url...>",
      "remove these pages now, every version, whatever their rights, and nothing else; needs --reason",
    )
    .option("--trust-clock", TRUST_CLOCK)
    .option("--yes", "on a terminal: remove, and do not only show")
    .acting(INPUTS.purge)
    .examples([
      ["licet purge --dry-run", "what would be removed"],
      ["licet purge --yes", "a terminal asks for --yes; cron does not"],
      ['licet purge --url https://news.example/a --reason "letter of 3 May" --yes', "take a page out now"],
    ])
    .does(purge);
}

function purge(session: Session, hosts: string[], flags: PurgeFlags): Promise<ExitCode> {
  const { url, by, reason, yes = false, trustClock } = flags;
  const isAsking = session.io.stdout.isTerminal && !yes && flags.dryRun !== true;
  const dryRun = flags.dryRun === true || isAsking;
  return session.answerFromAgent(
    (agent) =>
      agent.purge({
        dryRun,
        hosts: hosts.length === 0 ? undefined : hosts,
        urls: url,
        by,
        reason,
        trustClock,
      }),
    (report, layout) => formatPurge(report, { isAsking, layout }),
    exitCodeOfPurge,
  );
}

interface PurgeView {
  /** Shown only because a terminal was not told `--yes`. */
  readonly isAsking: boolean;
  readonly layout: Layout;
}

export function formatPurge(report: PurgeReport, { isAsking, layout }: PurgeView): string {
  const { dryRun, versions, bySite, unknown } = report;
  const sites = Object.entries(bySite).map(([host, count]) => `${formatHost(host)} ${count}`);
  const what = `${plural(versions, "version of a page", "versions of pages")}${sites.length === 0 ? "" : ` (${sites.join(", ")})`}`;
  return [
    formatExamples(report, layout),
    `${dryRun ? "Would remove" : "Removed"} the content of ${what}. Hashes, licences, prices and uses stay.\n`,
    ...unknown.map((url) => `Nothing is stored of ${plainText(url)}.\n`),
    ...(isAsking && versions > 0 ? ["Nothing was removed: run it again with --yes. It cannot be undone.\n"] : []),
    formatCleaning(report.cleaning),
  ].join("");
}

function formatExamples({ examples: removed, versions }: PurgeReport, layout: Layout): string {
  if (removed.length === 0) {
    return "";
  }
  const table = listTable(
    removed.slice(0, MAX_SHOWN),
    [
      { title: "purchase", align: "right", cell: ({ purchaseId }) => String(purchaseId) },
      { title: "rights ended", cell: ({ endedAt }) => (endedAt === null ? "" : formatInstant(endedAt)) },
      { title: "why", cell: ({ why }) => why },
      { title: "page", below: true, cell: ({ url }) => url },
    ],
    layout,
  );
  const more = versions - Math.min(removed.length, MAX_SHOWN);
  return `${table}${more > 0 ? `… and ${more} more (licet purge --dry-run --json)\n` : ""}\n`;
}

function formatCleaning(cleaning: PurgeReport["cleaning"]): string {
  if (cleaning?.state === "cleaned") {
    return "The file was written anew: what was removed is not readable in it any more. Copies and exports made earlier are not changed.\n";
  }
  if (cleaning?.state !== "due") {
    return "";
  }
  const what = "What was removed may still be readable in unused room of the file or its log: ";
  return cleaning.why === "disk_full"
    ? `${what}there is no disk space for the copy that cleaning makes (twice ${cleaning.fileBytes} bytes). Free some, and run licet purge again.\n`
    : `${what}another process uses the ledger. Run licet purge again when no run and no service works.\n`;
}
