/** What each day cost, as bars: spent, set aside and in doubt, each by itself. */
import type { SpendReport } from "../../../agent/reports/spend-agent.ts";
import type { SpendOfDay } from "../../../ledger/spend.ts";
import { formatMoney } from "../../../money/format-money.ts";
import { addMicros, toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import { isoDate } from "../../../time/period.ts";
import { amountColumn, oneAmount } from "./amount-column.ts";
import { barChart } from "./charts.ts";
import { type Html, html } from "./html.ts";
import { count, day, NONE } from "./values.ts";

const DAY_MS = 86_400_000;

/** One chart for each currency: amounts of different currencies are not compared. */
export function spendChart(report: DaysOfSpend): Html {
  const currencies = new Set(report.days.map(({ currency }) => currency));
  return currencies.size === 0
    ? html`<p class="empty">Nothing was bought from ${report.from} to ${report.to}. <code>licet run</code> buys what the policies allow.</p>`
    : html`${[...currencies].map((currency) => chartOf(report, currency))}`;
}

type DaysOfSpend = Pick<SpendReport, "from" | "to" | "days">;

interface ChartDay {
  readonly name: string;
  /** Null: nothing was bought. */
  readonly spend: SpendOfDay | null;
}

function chartOf({ from, to, days }: DaysOfSpend, currency: Currency): Html {
  const money = (title: string, of: (spend: SpendOfDay) => SpendOfDay["settledMicros"]) =>
    amountColumn<ChartDay>(title, ({ spend }) => oneAmount(spend === null ? null : of(spend), currency));
  return barChart<ChartDay>({
    title: `Spend by UTC day in ${currency}, ${from} to ${to}`,
    parts: ["spent, with fees", "set aside", "in doubt"],
    rows: daysBetween(from, to).map((name) => ({
      name,
      spend: days.find((one) => one.day === name && one.currency === currency) ?? null,
    })),
    bar: ({ name, spend }) => ({
      label: name,
      values:
        spend === null
          ? [0, 0, 0]
          : [addMicros(spend.settledMicros, spend.feeMicros), spend.reservedMicros, spend.inDoubtMicros],
    }),
    top: (micros) => formatMoney({ micros: toMicros(micros), currency }),
    columns: [
      { title: "Day", cell: ({ name, spend }) => (spend === null ? name : day(name)) },
      money("Charges", ({ settledMicros }) => settledMicros),
      money("Fees", ({ feeMicros }) => feeMicros),
      money("Set aside", ({ reservedMicros }) => reservedMicros),
      money("In doubt", ({ inDoubtMicros }) => inDoubtMicros),
      { title: "Pages bought", cell: ({ spend }) => (spend === null ? NONE : count(spend.bought)), isNumber: true },
    ],
    empty: "There is no day.",
  });
}

function daysBetween(from: string, to: string): readonly string[] {
  const first = Date.parse(from);
  const length = (Date.parse(to) - first) / DAY_MS + 1;
  return Array.from({ length }, (_, index) => isoDate(first + index * DAY_MS));
}
