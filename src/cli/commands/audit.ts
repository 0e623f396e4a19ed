import type { AuditReport } from "../../ledger/ledger-reports.ts";
import { plainText } from "../../plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import { exitCodeOfAudit } from "../exit-code.ts";
import { formatSpend } from "../output/format-values.ts";
import { type Layout, PLAIN_LAYOUT } from "../output/layout.ts";
import { formatTable, textTable } from "../output/text-table.ts";
import { formatOpenItems } from "../reports/open-item-table.ts";

export function declareAudit(command: CliCommand): void {
  command
    .examples([
      ["licet audit", ""],
      ["licet audit --json | jq .violations", "for a program"],
    ])
    .does((session) => session.answerFromLedger((agent) => agent.audit(), formatAudit, exitCodeOfAudit));
}

export function formatAudit(report: AuditReport, layout: Layout = PLAIN_LAYOUT): string {
  const { ok, violations, openItems, totals } = report;
  const purchases = Object.entries(totals.purchases).map(([state, count]) => [String(count), state.replace("_", " ")]);
  return [
    ok
      ? `${layout.paint("good", "Every promise is kept.")}\n\n`
      : `${layout.paint("bad", `${violations.length} violated:`)}\n${formatTable(
          [{ title: "promise" }, { title: "what is wrong", wrap: true }],
          violations.map(({ promise, detail }) => ({ cells: [promise === 0 ? "-" : String(promise), detail] })),
          layout,
        )}\n`,
    openItems.length === 0
      ? ""
      : `Open items, which violate no promise: ${totals.openItems}. licet resolve ITEM --close closes one.\n${formatOpenItems(openItems, layout)}\n`,
    "Purchases:\n",
    textTable(null, purchases, ["right"]),
    `\nSpend:     ${plainText(formatSpend(totals.spend))}\n`,
    `Uses:      ${totals.uses.recorded} recorded, ${totals.uses.reported} reported, ${totals.uses.pending} pending\n`,
    `Documents: ${totals.documents}\n`,
  ].join("");
}
