/** One site: how it stands, how old its content is, what it costs, and what its pages cost. */

import { z } from "zod";
import { amountText, host } from "../../../agent/calls/fields.ts";
import type { SiteDetails, StoredAge } from "../../../agent/sites/sites-report.ts";
import type { RunOfSite } from "../../../ledger/site-reports.ts";
import { formatMoney } from "../../../money/format-money.ts";
import type { Micros } from "../../../money/micros.ts";
import type { PriceBucket, PriceStudy, WouldBuy } from "../../../policy/price-study.ts";
import { commandLine } from "../command-line.ts";
import { amountColumn, oneAmount } from "../html/amount-column.ts";
import { barChart } from "../html/charts.ts";
import { type Html, html } from "../html/html.ts";
import { spendChart } from "../html/spend-chart.ts";
import { facts, section, table } from "../html/tables.ts";
import { address, amount, button, count, foreign, instant, link, NONE, query } from "../html/values.ts";
import { definePage } from "../page.ts";
import { bounded, stateBadge } from "./sites.ts";

export const sitePage = definePage({
  path: "/sites/:host",
  input: {
    params: z.strictObject({ host: host.schema }),
    query: z.strictObject({ maxPrice: amountText.optional() }),
  },
  command: ({ params, query: { maxPrice } }) => commandLine(["sites", params.host], { "max-price": maxPrice }),
  read: async (reports, { params, query: asked }) => ({
    details: await reports.siteDetails(params.host, asked),
    // A site that an open item stops may be paused too.
    isPaused: (await reports.status()).paused.some(({ host: paused }) => paused === params.host),
  }),
  title: (_, { params }) => `Site ${params.host}`,
  body: ({ details, isPaused }, { asked, mayAct }) => html`
${standing(details)}
${mayAct && pauseButton(details.site.host, isPaused)}
${section(
  "Age of what is stored",
  table<StoredAge>({
    caption: "Stored pages by the age of the stored version",
    columns: [
      { title: "Age", cell: ({ days }) => ageOf(days) },
      { title: "Pages", cell: bounded, isNumber: true },
    ],
    rows: details.ages,
    empty: "",
  }),
)}
${section("Spend of the last 30 days", spendChart(details))}
${section("Prices", details.prices === null ? NO_PRICES : prices(details.prices, asked))}`,
});

const ageOf = (days: number | null) => (days === null ? "older" : `up to ${days} ${days === 1 ? "day" : "days"}`);

const NO_PRICES = html`<p class="empty">There are no prices to show: the site is not configured, its policy only indexes, or no budget covers it.</p>`;

function standing({ site }: SiteDetails): Html {
  const { host: name, state, stop, stopDetail, policyName, lastFullWalkAt, nextSlotAt, stored } = site;
  return html`
${stop !== null && html`<p class="${state === "stopped" ? "problem" : "note"}">${stop}: ${foreign(stopDetail)}${state === "stopped" && html`<br>${link("/doubts", "Look at it and close it")}`}</p>`}
${facts([
  ["State", stateBadge(state)],
  ["Policy", policyName === null ? "none: it is not configured" : foreign(policyName)],
  ["Last run", runOf(site.lastRun)],
  ["Last walk", runOf(site.lastWalk)],
  ["Last complete walk", instant(lastFullWalkAt)],
  ["Next slot", nextSlotAt === null ? "it has no schedule" : instant(nextSlotAt)],
  ["Pages stored", bounded(stored)],
  ["Newest of them", instant(site.newestStoredAt)],
  ["Oldest of them", instant(site.oldestStoredAt)],
  ["Charged", chargedOf(site)],
])}
<p>${link(`/documents${query({ site: name })}`, "Its documents")}, ${link(`/denials${query({ site: name })}`, "its denials")},
${link(`/money${query({ site: name })}`, "its money")}, ${link(`/runs${query({ site: name })}`, "its runs")}.</p>`;
}

const pauseButton = (name: string, isPaused: boolean): Html =>
  html`<p>${isPaused ? button(address`/sites/${name}/unpause`, "End its pause\u00a0…") : button(address`/sites/${name}/pause`, "Pause this site\u00a0…")}</p>`;

/** What was charged, currency by currency, and the fees of it. */
function chargedOf({ spend }: SiteDetails["site"]): Html {
  const all = Object.entries(spend);
  return all.length === 0
    ? NONE
    : html`${all.map(([currency, { settledMicros, feeMicros }]) => html`<div>${amount(settledMicros, currency)} and ${amount(feeMicros, currency)} fees</div>`)}`;
}

function runOf(run: RunOfSite | null): Html {
  if (run === null) {
    return html`none yet: <code>licet run</code>, or wait for its slot`;
  }
  const { runId, state, trigger, startedAt, walkWarning } = run;
  return html`${link(address`/runs/${runId}`, runId)}, ${state}, ${trigger}, ${instant(startedAt)}${walkWarning !== null && html`: ${foreign(walkWarning)}`}`;
}

type Asked = { readonly params: { readonly host: string }; readonly query: { readonly maxPrice?: string | undefined } };

function prices(study: PriceStudy, { params, query: { maxPrice } }: Asked): Html {
  const { currency, pages, buckets, limits, never, asConfigured, asked } = study;
  return html`
<p>Of ${count(pages)} pages that the newest runs quoted: the price at which the rules of now would take each, if no rule had a <code>maxPrice</code>. A
page is counted once, with the rates that the gateway listed then.</p>
${barChart<PriceBucket>({
  title: `Pages by price in ${currency}`,
  parts: ["approved by the runs", "denied"],
  rows: buckets,
  bar: (bucket) => ({ label: shortEnd(bucket), values: [bucket.approved, bucket.pages - bucket.approved] }),
  top: String,
  mark: markOf(study),
  columns: [
    amountColumn("Above", ({ fromMicros }) => oneAmount(fromMicros, currency)),
    amountColumn("Up to", ({ toMicros }) => oneAmount(toMicros, currency)),
    { title: "Pages", cell: (bucket) => count(bucket.pages), isNumber: true },
    { title: "Approved", cell: ({ approved }) => count(approved), isNumber: true },
  ],
  empty:
    pages === 0
      ? "No page was quoted yet: start a run, and the prices are here."
      : "The rules would take none of these pages, whatever it costs.",
})}
<form class="row" method="get" action="${address`/sites/${params.host}`}">
<label>What would this maxPrice have bought? <input name="maxPrice" value="${maxPrice ?? ""}" placeholder="0.02 USD" spellcheck="false"></label>
<button>Ask</button>
</form>
${table<WouldBuy>({
  caption: "What the rules buy of these pages, before budgets and other limits",
  columns: [
    {
      title: "maxPrice",
      cell: ({ maxPriceMicros }) => (maxPriceMicros === null ? "as configured" : amount(maxPriceMicros, currency)),
    },
    { title: "Pages", cell: (row) => count(row.pages), isNumber: true },
    amountColumn("Set aside", ({ costMicros }) => oneAmount(costMicros, currency)),
  ],
  rows: [asConfigured, ...(asked === null ? [] : [asked])],
  empty: "",
})}
${limits.length === 0 ? html`<p>No rule that allows has a <code>maxPrice</code> in this currency.</p>` : html`<p>${limits.map(({ ruleIndex, maxPriceMicros }) => html`Rule ${ruleIndex + 1} has <code>maxPrice</code> ${amount(maxPriceMicros, currency)}. `)}</p>`}
${
  never.length > 0 &&
  table({
    caption: "Pages that no maxPrice buys",
    columns: [
      { title: "Reason", cell: ({ reason }) => reason },
      { title: "Pages", cell: (row) => count(row.pages), isNumber: true },
    ],
    rows: never,
    empty: "",
  })
}`;
}

/** The line of the highest `maxPrice`, which is the end of a bucket. */
function markOf({ limits, buckets, currency }: PriceStudy): { readonly before: number; readonly label: string } | null {
  const highest = limits.reduce<Micros | null>(
    (most, { maxPriceMicros }) => (most === null || maxPriceMicros > most ? maxPriceMicros : most),
    null,
  );
  if (highest === null) {
    return null;
  }
  const before = buckets.filter(({ toMicros }) => toMicros !== null && toMicros <= highest).length;
  return { before, label: `maxPrice ${formatMoney({ micros: highest, currency })}` };
}

const shortEnd = ({ fromMicros, toMicros, currency }: PriceBucket): string =>
  toMicros === null ? `> ${withoutCurrency(fromMicros, currency)}` : withoutCurrency(toMicros, currency);

const withoutCurrency = (micros: Micros, currency: string): string =>
  formatMoney({ micros, currency }).slice(0, -currency.length).trimEnd();
