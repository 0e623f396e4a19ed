import { INPUTS } from "../../agent/calls/inputs.ts";
import type { DenialsOptions, DenialsReport } from "../../agent/reports/denials-agent.ts";
import type { CliCommand } from "../cli-command.ts";
import { parseText } from "../input/parse-arguments.ts";
import { formatInstant, plural } from "../output/format-values.ts";
import { formatHost, parseHost } from "../output/host-name.ts";
import type { Layout } from "../output/layout.ts";
import { section } from "../output/report-sections.ts";
import { formatTable, listTable, wrapText } from "../output/text-table.ts";

export function declareDenials(command: CliCommand): void {
  command
    .option("--run <run>", "only this run (default: the runs that began in these days)", parseText(INPUTS.denials.run))
    .option("--from <day>", "the first UTC day: 2026-11-20, today or yesterday (default: 30 days up to today)")
    .option("--to <day>", "with --from, the last UTC day, which is included (default: today)")
    .option("--site <host>", "only this site", parseHost)
    .choice("--reason <reason>", "only the rules and pages of this reason", INPUTS.denials.reason.schema.options)
    .limit("at most so many pages (default: 50)", INPUTS.denials.limit)
    .cursor(INPUTS.denials.cursor)
    .examples([
      ["licet denials", "of the last 30 days"],
      ["licet denials --site news.example --reason no_rule_matched", "its pages that no rule wanted"],
      ["licet denials --from yesterday --json | jq .reasons", "for a program"],
    ])
    .does((session, flags: DenialsOptions) => session.answerFromLedger((agent) => agent.denials(flags), formatDenials));
}

export function formatDenials(report: DenialsReport, layout: Layout): string {
  const { total, reasons, sites, rules, ruledPages, pages, nextCursor } = report;
  const more = nextCursor === null ? "" : `  More: the same command with --cursor ${nextCursor}\n`;
  const ruled = ruledPages === total ? "By rule" : `By rule, of the newest ${ruledPages} that match`;
  const counted = (name: string, rows: readonly (readonly string[])[]) =>
    formatTable(
      [
        { title: "pages", align: "right" },
        { title: name, wrap: true },
      ],
      rows.map((cells) => ({ cells })),
      layout,
    );
  return [
    ...wrapText(describeTotal(report), layout.columns).map((line) => `${line}\n`),
    ...section(
      "By reason",
      counted(
        "reason (class)",
        reasons.map((one) => [String(one.pages), `${one.reason} (${one.class})`]),
      ),
      layout,
    ),
    ...section(
      ruled,
      counted(
        "rule",
        rules.map((one) => [String(one.pages), nameRule(one)]),
      ),
      layout,
    ),
    ...section(
      "By site",
      counted(
        "site",
        sites.map(({ host, pages }) => [String(pages), formatHost(host)]),
      ),
      layout,
    ),
    ...section(
      "Pages: licet explain URL shows the rates and the rules of one",
      formatPages(pages, layout) + more,
      layout,
    ),
  ].join("");
}

function describeTotal({ from, to, runId, runs, total, olderRunsLeftOut }: DenialsReport): string {
  const what = total === 0 ? "No page was denied" : `${plural(total, "page")} denied`;
  const where = runId ?? `${plural(runs, "run")} that began from ${from} to ${to} (UTC)`;
  return `${what} in ${where}.${olderRunsLeftOut ? " Older runs of these days are not counted." : ""}`;
}

function nameRule({ policyName, ruleIndex, rule, reason }: DenialsReport["rules"][number]): string {
  const which = ruleIndex === null ? "no rule" : `rule ${ruleIndex + 1}${rule === null ? "" : `: ${rule}`}`;
  return `${policyName}, ${which} (${reason})`;
}

function formatPages(pages: DenialsReport["pages"], layout: Layout): string {
  return listTable(
    pages,
    [
      { title: "denied", cell: ({ at }) => formatInstant(at) },
      { title: "reason", cell: ({ reason }) => reason },
      { title: "page", below: true, cell: ({ url }) => url },
      { title: "detail", wrap: true, below: true, cell: ({ detail }) => detail ?? "" },
    ],
    layout,
  );
}
