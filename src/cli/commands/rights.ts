import { INPUTS } from "../../agent/calls/inputs.ts";
import type { RightsCalendar, RightsOptions } from "../../agent/rights/rights-agent.ts";
import type { CliCommand } from "../cli-command.ts";
import { parseText } from "../input/parse-arguments.ts";
import { formatInstant } from "../output/format-values.ts";
import { formatHost } from "../output/host-name.ts";
import type { Layout } from "../output/layout.ts";
import { section } from "../output/report-sections.ts";
import { formatLine, formatTable } from "../output/text-table.ts";

export function declareRights(command: CliCommand): void {
  command
    .option("--within <duration>", "how far to look (default: 90d)", parseText(INPUTS.rights.within))
    .examples([
      ["licet rights", "the next 90 days"],
      ["licet rights --within 30d --json | jq .days", "for a program"],
    ])
    .does((session, flags: RightsOptions) => session.answerFromLedger((agent) => agent.rights(flags), formatRights));
}

export function formatRights({ until, countedUntil, days, earliest, ended }: RightsCalendar, layout: Layout): string {
  const counted =
    countedUntil < until ? ` Counted until ${formatInstant(countedUntil)}; licet status --expiring counts all.` : "";
  const head =
    days.length === 0 ? `No rights end until ${formatInstant(countedUntil)} (UTC).` : "Rights that end (UTC).";
  return [
    formatLine(`${head}${counted}`, layout),
    ...section(
      "By day",
      formatTable(
        [{ title: "day" }, { title: "site" }, { title: "then" }, { title: "pages", align: "right" }],
        days.map(({ day, host, action, pages }) => ({ cells: [day, formatHost(host), action, String(pages)] })),
        layout,
      ),
      layout,
    ),
    ...section(
      "Next",
      formatTable(
        [{ title: "rights end" }, { title: "why" }, { title: "then" }, { title: "page", below: true }],
        earliest
          .slice(0, 10)
          .map(({ endsAt, why, action, url }) => ({ cells: [formatInstant(endsAt), why, action, url] })),
        layout,
      ),
      layout,
    ),
    ...section(
      "Ended already",
      formatTable(
        [{ title: "site" }, { title: "then" }, { title: "pages", align: "right" }],
        ended.map(({ host, action, pages, isAtLeast }) => ({
          cells: [formatHost(host), action, `${isAtLeast ? "at least " : ""}${pages}`],
        })),
        layout,
      ),
      layout,
    ),
  ].join("");
}
