import type { Explanation } from "../../agent/reports/explanation.ts";
import { plainText } from "../../plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import { exitCodeOfExplain } from "../exit-code.ts";
import { formatAmount, formatInstant } from "../output/format-values.ts";
import { type Layout, PLAIN_LAYOUT } from "../output/layout.ts";
import { section } from "../output/report-sections.ts";
import {
  formatLine,
  formatTable,
  type ItemColumn,
  type LineStyle,
  listTable,
  textTable,
} from "../output/text-table.ts";
import { formatActs } from "../reports/act-table.ts";
import { formatFindings, formatLicense } from "../reports/rate-findings.ts";

export function declareExplain(command: CliCommand): void {
  command
    .argument("<url>", "the page")
    .examples([["licet explain https://news.example/2026/article", ""]])
    .does((session, url: string) =>
      session.answerFromLedger((agent) => agent.explain(url), formatExplanation, exitCodeOfExplain),
    );
}

export function formatExplanation(explanation: Explanation, layout: Layout = PLAIN_LAYOUT): string {
  const { conclusion, url, policy, live, liveError, isGatewayDown, budgets, notifications } = explanation;
  const isFromLedger = isGatewayDown && conclusion.willBeBought !== null;
  return [
    formatLine(`${url} ${conclusion.detail}`, layout, toneOf(conclusion.willBeBought)),
    ...(isFromLedger ? ["  The gateway could not be asked: the ledger and the configuration say this.\n"] : []),
    ...(conclusion.hint === null ? [] : [formatLine(`hint: ${conclusion.hint}`, layout, { indent: "  " })]),
    ...notifications.map(({ kind, timestamp, state }) => {
      const when = timestamp === "" ? "without a date" : `of ${timestamp}`;
      const where = state === "waiting" ? "is waiting for the webhook run of its site" : "is in a webhook run";
      return formatLine(`A notification ${when} (${kind}) ${where}.`, layout, { indent: "  " });
    }),
    ...section(
      `Policy "${plainText(policy.name)}"`,
      formatTable(
        [{ title: "" }, { title: "", wrap: true }],
        policy.rules.map((rule, index) => ({ cells: [`${index + 1}.`, rule] })),
        layout,
      ),
    ),
    ...(live === null
      ? [`\nRates: ${plainText(liveError ?? "unknown")}\n`]
      : [
          ...section(
            live.listing.rates.length === 0 && live.findings.length > 0 ? "Rules" : "Rates now",
            formatFindings(live),
          ),
          `\nVerdict: ${formatVerdict(live)}\n`,
        ]),
    ...(live?.currency == null ? [] : section("Budgets", formatBudgets(budgets, live.currency))),
    ...formatRecord(explanation, layout),
  ].join("");
}

/** Green: the next run buys it. Not to buy a page can be right, so that has no colour. */
function toneOf(willBeBought: boolean | null): LineStyle {
  return willBeBought === true ? { tone: "good" } : {};
}

type Live = NonNullable<Explanation["live"]>;

function formatVerdict({ verdict, priceMicros, currency }: Live): string {
  const rule = verdict.ruleIndex === null ? "" : ` by rule ${verdict.ruleIndex + 1}`;
  if (verdict.kind === "denied") {
    return `denied${rule} (${verdict.reason})`;
  }
  return plainText(`allowed${rule}${priceMicros === null ? "" : ` for ${formatAmount(priceMicros, currency)}`}`);
}

function formatBudgets(budgets: Explanation["budgets"], currency: string): string {
  // The label names a budget's own currency. An amount in another currency is not relevant for this page.
  const rows = budgets.map(({ label, leftMicros, fits }) => [
    label,
    label.endsWith(`(${currency})`) ? `${formatAmount(leftMicros, currency)} left` : "another currency",
    fits ? "fits" : "does not fit",
  ]);
  return rows.length === 0 ? "  none covers this page\n" : textTable(null, rows, ["left", "right"]);
}

type PageRecord = NonNullable<Explanation["record"]>;

const PURCHASE_COLUMNS: readonly ItemColumn<PageRecord["purchases"][number]>[] = [
  { title: "purchase", align: "right", cell: ({ purchaseId }) => String(purchaseId) },
  { title: "state", cell: ({ state }) => state.replace("_", " ") },
  { title: "at", cell: ({ at }) => formatInstant(at) },
  {
    title: "price",
    align: "right",
    cell: ({ chargedMicros, quotedMicros, currency }) => formatAmount(chargedMicros ?? quotedMicros, currency),
  },
  {
    title: "rule",
    wrap: true,
    below: true,
    cell: ({ policyName, ruleIndex, rule }) =>
      `${policyName}, rule ${ruleIndex + 1}${rule === null ? "" : `: ${rule}`}`,
  },
  {
    title: "",
    wrap: true,
    below: true,
    cell: ({ reason, detail }) => [reason, detail].filter((part) => part !== null).join(": "),
  },
];
const DENIAL_COLUMNS: readonly ItemColumn<PageRecord["denials"][number]>[] = [
  { title: "at", cell: ({ at }) => formatInstant(at) },
  { title: "reason", cell: ({ reason }) => reason },
  {
    title: "policy",
    cell: ({ policyName, ruleIndex }) => `${policyName}${ruleIndex === null ? "" : `, rule ${ruleIndex + 1}`}`,
  },
  { title: "", wrap: true, below: true, cell: ({ detail }) => detail ?? "" },
];

/** Until when the stored version may be used, and what became of it. */
function formatRights({ record, rights }: Pick<Explanation, "record" | "rights">): string[] {
  const { purgedAt = null, purgeReason = null } = record?.stored ?? {};
  const gone = record?.goneAt ?? null;
  const lines = [];
  if (purgedAt !== null) {
    lines.push(
      `Its content was purged ${formatInstant(purgedAt)} (${plainText(purgeReason ?? "")}); the evidence stays.\n`,
    );
  } else if (rights !== null) {
    const verb = rights.hasEnded ? "ended" : "end";
    lines.push(`The rights ${verb} ${formatInstant(rights.endsAt)} (${rights.why}); then: ${rights.action}.\n`);
  } else if (record?.stored) {
    lines.push("The rights have no end.\n");
  }
  return gone === null ? lines : [...lines, `The catalog does not have it any more since ${formatInstant(gone)}.\n`];
}

/** `http` and `https` are two pages of the ledger, and one of a fetch. */
function formatOtherScheme({ url, storedAs }: Pick<Explanation, "url" | "storedAs">): string[] {
  return storedAs === null || storedAs === url
    ? []
    : [`It is held as ${plainText(storedAs)}: licet fetch gives that version and buys nothing.\n`];
}

function formatRecord(
  explanation: Pick<Explanation, "url" | "record" | "storedAs" | "rights">,
  layout: Layout,
): string[] {
  const { record } = explanation;
  const otherScheme = formatOtherScheme(explanation);
  if (record === null) {
    return ["\nThe ledger does not know this page.\n", ...otherScheme];
  }
  const { stored, purchases, denials, acts } = record;
  return [
    stored === null
      ? "\nNot stored.\n"
      : `\n${stored.purgedAt === null ? "Stored since" : "Bought"} ${formatInstant(stored.boughtAt)} (${stored.indexingOnly ? "indexed only" : plainText(formatLicense(stored.license))}), purchase ${stored.purchaseId}.\n`,
    ...formatRights(explanation),
    ...otherScheme,
    ...section("Purchases", listTable(purchases, PURCHASE_COLUMNS, layout)),
    ...section("Denials", listTable(denials, DENIAL_COLUMNS, layout)),
    ...section("Who decided", formatActs(acts, layout)),
  ];
}
