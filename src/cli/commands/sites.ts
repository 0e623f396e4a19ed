import { INPUTS } from "../../agent/calls/inputs.ts";
import type { SiteDetails, SiteState, SiteStatus, SitesOptions, SitesReport } from "../../agent/sites/sites-report.ts";
import type { BoundedCount, RunOfSite } from "../../ledger/site-reports.ts";
import { addMicros } from "../../money/micros.ts";
import type { Money } from "../../money/money.ts";
import type { CliCommand } from "../cli-command.ts";
import { parseMoneyArgument } from "../input/parse-arguments.ts";
import { formatAmountCell, formatCost, formatInstant, formatSpend, plural } from "../output/format-values.ts";
import { formatHost, parseHost } from "../output/host-name.ts";
import type { Layout, Tone } from "../output/layout.ts";
import { section } from "../output/report-sections.ts";
import { formatLine, formatTable, listTable } from "../output/text-table.ts";

interface SitesFlags extends SitesOptions {
  readonly maxPrice?: Money;
}

export function declareSites(command: CliCommand): void {
  command
    .argument("[host]", "one site: also the age of what is stored, 30 days of spend, and its prices", parseHost)
    .option("--max-price <amount>", "of one site: what would this maxPrice have bought?", parseMoneyArgument)
    .limit("at most so many sites (default: 50)", INPUTS.sites.limit)
    .cursor(INPUTS.sites.cursor)
    .examples([
      ["licet sites", ""],
      ['licet sites news.example --max-price "0.02 USD"', "what would 0.02 have bought?"],
      ["licet sites --json | jq '.sites[] | select(.state == \"stopped\")'", "for a program"],
    ])
    .does((session, host: string | undefined, flags: SitesFlags) => {
      const { maxPrice, ...page } = flags;
      return host === undefined
        ? session.answerFromLedger((agent) => agent.sites(page), formatSites)
        : session.answerFromLedger((agent) => agent.siteDetails(host, { maxPrice }), formatSite);
    });
}

type PriceStudy = NonNullable<SiteDetails["prices"]>;

const TONES: Readonly<Partial<Record<SiteState, Tone>>> = {
  stopped: "bad",
  paused: "caution",
  ended_early: "caution",
  ready: "good",
};

export function formatSites({ sites, nextCursor }: SitesReport, layout: Layout): string {
  if (sites.length === 0) {
    return 'No site is configured: add one under "sites".\n';
  }
  const table = listTable(
    sites,
    [
      { title: "site", cell: ({ host }) => formatHost(host) },
      { title: "state", cell: stateCell },
      { title: "stored", align: "right", cell: ({ stored }) => formatCount(stored) },
      { title: "newest", cell: ({ newestStoredAt }) => formatInstant(newestStoredAt) },
      { title: "spent", align: "right", cell: ({ spend }) => formatCost(spend) },
      { title: "last run", cell: ({ lastRun }) => formatInstant(lastRun?.startedAt ?? null) },
      { title: "next slot", cell: ({ nextSlotAt }) => formatInstant(nextSlotAt) },
    ],
    layout,
    ({ stop, stopDetail }) => (stop === null ? [] : [`${stop}: ${stopDetail ?? ""}`]),
  );
  return `${table}${nextCursor === null ? "" : `More: licet sites --cursor ${nextCursor}\n`}`;
}

const stateCell = ({ state }: SiteStatus) => {
  const tone = TONES[state];
  return tone === undefined ? state : { text: state, tone };
};

const formatCount = ({ pages, isAtLeast }: BoundedCount) => `${isAtLeast ? "at least " : ""}${pages}`;

export function formatSite({ site, ages, days, prices }: SiteDetails, layout: Layout): string {
  const { host, state, stop, stopDetail, policyName, stored, spend, lastFullWalkAt, nextSlotAt } = site;
  const lines = [
    `${formatHost(host)}: ${state}${stop === null ? "" : `, ${stop}: ${stopDetail ?? ""}`}`,
    `Policy: ${policyName ?? "none: it is not configured"}`,
    `Last run: ${describeRun(site.lastRun)}`,
    `Last walk: ${describeRun(site.lastWalk)}; last complete one: ${formatInstant(lastFullWalkAt)}`,
    `Next slot: ${formatInstant(nextSlotAt)}`,
    `Spend: ${formatSpend(spend)}`,
    `Stored: ${formatCount(stored)} pages, from ${formatInstant(site.oldestStoredAt)} to ${formatInstant(site.newestStoredAt)}`,
  ];
  return [
    ...lines.map((line) => formatLine(line, layout)),
    ...section("Stored pages by age", formatAges(ages, layout), layout),
    ...section("Spend by UTC day, the last 30 days", formatDays(days, layout), layout),
    ...(prices === null ? [] : formatPrices(prices, layout)),
  ].join("");
}

function describeRun(run: RunOfSite | null): string {
  if (run === null) {
    return "none";
  }
  const { runId, state, trigger, startedAt, walkWarning } = run;
  return `${runId}, ${state}, ${trigger}, ${formatInstant(startedAt)}${walkWarning === null ? "" : `, ${walkWarning}`}`;
}

function formatAges(ages: SiteDetails["ages"], layout: Layout): string {
  return formatTable(
    [{ title: "age" }, { title: "pages", align: "right" }],
    ages.map((age) => ({
      cells: [age.days === null ? "older" : `up to ${plural(age.days, "day")}`, formatCount(age)],
    })),
    layout,
  );
}

function formatDays(days: SiteDetails["days"], layout: Layout): string {
  return formatTable(
    [{ title: "day" }, { title: "spent", align: "right" }, { title: "bought", align: "right" }],
    days.map(({ day, currency, settledMicros, feeMicros, bought }) => ({
      cells: [day, formatAmountCell(addMicros(settledMicros, feeMicros), currency), String(bought)],
    })),
    layout,
  );
}

function formatPrices(
  { pages, currency, buckets, limits, never, asConfigured, asked }: PriceStudy,
  layout: Layout,
): string[] {
  const table = formatTable(
    [{ title: "price" }, { title: "pages", align: "right" }, { title: "approved", align: "right" }],
    buckets.map(({ fromMicros, toMicros, pages: count, approved }) => ({
      cells: [
        toMicros === null
          ? `above ${formatAmountCell(fromMicros, currency)}`
          : `up to ${formatAmountCell(toMicros, currency)}`,
        String(count),
        String(approved),
      ],
    })),
    layout,
  );
  const lines = [
    ...limits.map(
      ({ ruleIndex, maxPriceMicros }) =>
        `maxPrice of rule ${ruleIndex + 1}: ${formatAmountCell(maxPriceMicros, currency)}`,
    ),
    ...never.map(({ reason, pages: count }) => `${plural(count, "page")} that no maxPrice buys: ${reason}`),
    describeBought("As configured, the rules buy", asConfigured),
    ...(asked === null
      ? []
      : [describeBought(`With maxPrice ${formatAmountCell(asked.maxPriceMicros, currency)} they would buy`, asked)]),
  ];
  return section(
    `Prices of the newest ${plural(pages, "quoted page")}`,
    table + lines.map((line) => formatLine(line, layout, { indent: "  " })).join(""),
    layout,
  );
}

const describeBought = (what: string, { pages, costMicros, currency }: PriceStudy["asConfigured"]) =>
  `${what} ${plural(pages, "page")} of these for ${formatAmountCell(costMicros, currency)}`;
