/** The text that `licet runs RUN` prints: what a run bought, what each site cost, and what it denied. */
import type { RunFunnel } from "../../agent/reports/run-funnel.ts";
import type { RunDetails, SiteSpend } from "../../agent/reports/runs-report.ts";
import type { DeniedPage, RunPurchase } from "../../ledger/run-reports.ts";
import { addMicros, type Micros } from "../../money/micros.ts";
import { plainText } from "../../plain-text.ts";
import { formatAmountCell, formatDuration, formatInstant, formatSums } from "../output/format-values.ts";
import { formatHost } from "../output/host-name.ts";
import type { Layout, Tone } from "../output/layout.ts";
import { formatMore, section } from "../output/report-sections.ts";
import { type Column, formatTable, type ItemColumn, listTable, type Row, wrapText } from "../output/text-table.ts";
import { formatActs } from "./act-table.ts";
import { denialTable } from "./page-counts-table.ts";
import { describeEnd, stateOf, toneOfState } from "./run-table.ts";
import { describeWait } from "./wait-lines.ts";

const TONES: Readonly<Record<RunPurchase["state"], Tone>> = {
  reserved: "caution",
  started: "caution",
  settled: "good",
  released: "bad",
  in_doubt: "caution",
};

/** @param command lists the same pages; for more of them, it takes another limit */
export function formatRunDetails(details: RunDetails, command: string, layout: Layout): string {
  const { run, purchases, purchasesTotal, denied, deniedTotal } = details;
  const state = stateOf(run);
  const until = run.endedAt === null ? "" : ` to ${formatInstant(run.endedAt)}`;
  const head = [
    `Run ${run.runId}: ${state}, ${run.trigger}, ${formatInstant(run.startedAt)}${until} UTC`,
    ...describeEnd(run),
    ...run.waits.map(describeWait),
  ].flatMap((line) => wrapText(plainText(line), layout.columns));
  const [first = "", ...rest] = head;
  const more = (items: readonly unknown[], total: number) =>
    formatMore({ items, total, command: `${command} --limit ${total}` }, layout);
  return [
    `${layout.paint(toneOfState(state), first)}\n`,
    ...rest.map((line) => `${line}\n`),
    ...section(
      "Pages that it decided to buy (UTC)",
      listTable(purchases, PURCHASE_COLUMNS, layout, listNotes) + more(purchases, purchasesTotal),
      layout,
    ),
    ...section("By site", formatSites(details, layout), layout),
    ...section("Denied, on all sites", denialTable(details.denials), layout),
    ...section(
      "Denied pages: licet explain URL shows the rates and the rules of one",
      formatDenied(denied, layout) + more(denied, deniedTotal),
      layout,
    ),
    ...section("Who decided", formatActs(details.acts, layout), layout),
  ].join("");
}

const PURCHASE_COLUMNS: readonly ItemColumn<RunPurchase>[] = [
  { title: "purchase", align: "right", cell: ({ purchaseId }) => String(purchaseId) },
  {
    title: "price",
    align: "right",
    cell: ({ chargedMicros, quotedMicros, currency }) => formatAmountCell(chargedMicros ?? quotedMicros, currency),
  },
  { title: "state", cell: ({ state }) => ({ text: state, tone: TONES[state] }) },
  { title: "when", cell: ({ endedAt, reservedAt }) => formatInstant(endedAt ?? reservedAt) },
  { title: "licence", cell: ({ license }) => license?.licenseType ?? "-" },
  { title: "page", below: true, cell: ({ url }) => url },
];

function listNotes(purchase: RunPurchase): string[] {
  const { state, quotedMicros, chargedMicros, feeMicros, currency, reason, detail } = purchase;
  const fee = feeMicros === 0 ? [] : [`fee ${formatAmountCell(feeMicros, currency)}`];
  const overQuote =
    chargedMicros === null || chargedMicros === quotedMicros
      ? []
      : [`quoted at ${formatAmountCell(quotedMicros, currency)}`];
  const why = reason === null ? [] : [detail === null || detail === "" ? reason : `${reason}: ${detail}`];
  const notes = [...overQuote, ...fee, ...(state === "settled" ? [] : why)];
  return notes.length === 0 ? [] : [notes.join("; ")];
}

/** Each currency of a site is a row, so that a row adds up. */
function formatSites({ sites, usesSpend }: RunDetails, layout: Layout): string {
  const columns: readonly Column[] = [
    { title: "site", wrap: true },
    { title: "bought", align: "right" },
    { title: "in doubt", align: "right" },
    { title: "not bought", align: "right" },
    { title: "open", align: "right" },
    { title: "spent", align: "right" },
    { title: "fees in it", align: "right" },
    { title: "in doubt", align: "right" },
    { title: "set aside", align: "right" },
  ];
  const uses = Object.keys(usesSpend).length === 0 ? [] : [{ name: "uses, charged on report", spend: usesSpend }];
  const rows: Row[] = [
    ...sites.flatMap(({ host, purchases, spend }) => toSiteRows(formatHost(host), countsOf(purchases), spend)),
    ...uses.flatMap(({ name, spend }) => toSiteRows(name, ["", "", "", ""], spend)),
  ];
  return formatTable(columns, rows, layout);
}

function countsOf({ settled, in_doubt: inDoubt, released, reserved, started }: SiteSpend["purchases"]): string[] {
  return [settled, inDoubt, released, reserved + started].map(String);
}

function toSiteRows(name: string, counts: readonly string[], spend: SiteSpend["spend"]): Row[] {
  const currencies = Object.entries(spend);
  if (currencies.length === 0) {
    return [{ cells: [name, ...counts, "-", "-", "-", "-"] }];
  }
  return currencies.map(([currency, { settledMicros, feeMicros, inDoubtMicros, reservedMicros }], index) => {
    const amount = (micros: Micros) => formatAmountCell(micros, currency);
    const amounts = [addMicros(settledMicros, feeMicros), feeMicros, inDoubtMicros, reservedMicros].map(amount);
    // The counts are of all currencies together.
    return { cells: [name, ...(index === 0 ? counts : counts.map(() => "")), ...amounts] };
  });
}

function formatDenied(denied: readonly DeniedPage[], layout: Layout): string {
  return formatTable(
    [{ title: "reason" }, { title: "page", below: true }, { title: "detail", wrap: true, below: true }],
    denied.map(({ url, reason, detail }) => ({ cells: [reason, url, detail ?? ""] })),
    layout,
  );
}

export function formatFunnel({ run, steps, speed, configurations }: RunFunnel, layout: Layout): string {
  const table = formatTable(
    [{ title: "step" }, { title: "pages" }, { title: "money" }],
    steps.map(({ step, count, micros }) => ({
      cells: [step, count.toLocaleString("en-US"), formatSums(micros) || "-"],
    })),
    layout,
  );
  const perHour = speed.pagesPerHour === null ? "" : `, ${speed.pagesPerHour.toLocaleString("en-US")} pages an hour`;
  const last = configurations.at(-1);
  const kept = last === undefined ? "not kept" : `sha256:${last.digest} (--json has it)`;
  return `Run ${run.runId}: ${stateOf(run)}\n${table}Worked ${formatDuration(speed.workedMs)}${perHour}.\nConfiguration: ${kept}\n`;
}
