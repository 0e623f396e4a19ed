/**
 * What the ledger says. Without a readable ledger, these metrics have no series. Its totals count what every process did, and no restart sets them back. Money is in micros of
 * its own currency, as everywhere in licet: exact, and never added over currencies.
 */
import { listSchedules } from "../../agent/reports/configured-schedules.ts";
import type { Budget } from "../../budget/budget.ts";
import { headroom } from "../../budget/headroom.ts";
import { scopeKey } from "../../budget/scope.ts";
import { BATCH_STAGES } from "../../ledger/lease-ledger.ts";
import type { LedgerFigures, TotalKind } from "../../ledger/ledger-figures.ts";
import { SLOT_STATES } from "../../ledger/schedule-ledger.ts";
import { OPEN_ITEM_KINDS } from "../../ledger/usage-ledger.ts";
import { isTakenBack, PURCHASE_STATES } from "../../purchase/purchase.ts";
import { nextSlots } from "../../schedule/slot.ts";
import { ageSeconds, type Found, type Metrics, type Scrape, type Series, toSeconds } from "./metric.ts";

type Read = (known: LedgerFigures, scrape: Scrape) => Found;

/** The outcomes of pages by the name of their count in the ledger. */
const OUTCOMES = {
  unchanged: "unchanged",
  excluded: "excluded",
  denied: "denied",
  bought: "settled",
  failed: "released",
  in_doubt: "in_doubt",
} as const satisfies Readonly<Record<string, TotalKind>>;

const OF_BUDGETS = "in micros of its currency. A budget of runs has none: each run has its own.";

export const LEDGER_METRICS: Metrics<Read> = {
  "licet_pages_seen_total{site}": [
    "Pages that runs saw in the catalogs and notifications of a site.",
    ({ totals }, scrape) => hosts(scrape).map((site) => [site, sum(totals, "seen", site)]),
  ],
  "licet_pages_total{site,outcome}": [
    "Pages by what came of them in a run. A page that a later run sees again counts again.",
    ({ totals }, scrape) =>
      hosts(scrape).flatMap((site) =>
        Object.entries(OUTCOMES).map(([outcome, kind]): Series => [site, outcome, sum(totals, kind, site)]),
      ),
  ],
  "licet_pages_denied_total{reason}": [
    "Pages that were not bought, by denial reason (docs/vocabulary.md), over all sites.",
    (known) => byReason(known, "denied"),
  ],
  "licet_purchases_released_total{reason}": [
    "Purchases that were given up without a charge, by release reason (docs/vocabulary.md), over all sites.",
    (known) => byReason(known, "released"),
  ],
  "licet_spend_micros_total{site,currency}": [
    "What was ever charged on a site, fees included, in micros of the currency.",
    ({ spend }) => spend.map(({ host, currency, spentMicros }) => [host, currency, spentMicros]),
  ],
  "licet_purchases{state}": [
    "Purchases that are in each state now.",
    ({ purchases }) => PURCHASE_STATES.map((state) => [state, purchases[state]]),
  ],
  licet_in_doubt_oldest_age_seconds: [
    "How long the oldest purchase in doubt has been in doubt. 0: there is none.",
    ({ oldestDoubtAt }, { now }) => ageSeconds(oldestDoubtAt, now),
  ],
  "licet_budget_settled_micros{budget,currency}": [
    `What was charged under a budget in its present period, fees included, ${OF_BUDGETS}`,
    byBudget(({ balance }) => balance.spentMicros),
  ],
  "licet_budget_in_doubt_micros{budget,currency}": [
    `What may have been charged under a budget, ${OF_BUDGETS}`,
    byBudget(({ balance }) => balance.inDoubtMicros),
  ],
  "licet_budget_reserved_micros{budget,currency}": [
    `What is set aside under a budget for pages under way, ${OF_BUDGETS}`,
    byBudget(({ balance }) => balance.reservedMicros),
  ],
  "licet_budget_headroom_micros{budget,currency}": [
    `What is left of a budget in its present period, negative when it is exceeded, ${OF_BUDGETS}`,
    byBudget(({ budget, balance }) => headroom(budget, balance)),
  ],
  "licet_budget_exhausted{budget,currency}": [
    "1: a page did not fit the budget in its present period, so nothing more is bought under it. Else 0.",
    byBudget(({ isSpent }) => (isSpent ? 1 : 0)),
  ],
  "licet_uses{state}": [
    "Uses of content by the state of their report.",
    ({ uses }) => Object.entries(uses).map(([state, count]) => [state, count]),
  ],
  licet_unreported_uses: [
    "Uses whose report was not sent, or has no answer: the states pending and batched.",
    ({ uses }) => uses.pending + uses.batched,
  ],
  licet_unreported_oldest_age_seconds: [
    "How long the oldest unreported use has waited. 0: there is none.",
    ({ oldestUnreportedAt }, { now }) => ageSeconds(oldestUnreportedAt, now),
  ],
  "licet_open_items{kind}": [
    "Items that a person has to look at, by kind (licet status).",
    ({ openItems }) => counted(OPEN_ITEM_KINDS, openItems, ({ kind, count }) => [kind, count]),
  ],
  "licet_alert_deliveries{state}": [
    "Deliveries of alerts that are pending, and that were given up among those of the newest 100 alerts.",
    ({ alerts }) => [
      ["pending", alerts.pending],
      ["given_up", alerts.givenUp],
    ],
  ],
  "licet_runs_unfinished{state}": [
    "Runs of the ledger that are running, or can be resumed, by state.",
    ({ unfinishedRuns }) =>
      counted(["running", "interrupted", "failed"], unfinishedRuns, ({ state, count }) => [state, count]),
  ],
  "licet_queue_batches{stage}": [
    "Batches of work that running runs have, by stage.",
    ({ batches }) => counted(BATCH_STAGES, batches, ({ stage, count }) => [stage, count]),
  ],
  "licet_queue_pages{stage}": [
    "Pages in the batches of work that running runs have, by stage.",
    ({ batches }) => counted(BATCH_STAGES, batches, ({ stage, size }) => [stage, size]),
  ],
  "licet_hints_waiting{site}": [
    "Notifications whose page is in no run yet.",
    ({ hints }, scrape) => counted(hosts(scrape), hints, ({ host, count }) => [host, count]),
  ],
  licet_sweep_age_seconds: [
    "How long ago the gateway's delivery records were last read to their end. Of readings that only failed, since the service started. Absent: none was tried, without webhooks, and where the gateway keeps no records.",
    ({ sweep }, { context, now, startedAt }) =>
      sweep === null || context.config.webhooks.length === 0 ? null : ageSeconds(sweep.completedAt ?? startedAt, now),
  ],
  "licet_schedule_overdue_seconds{schedule}": [
    "How long the oldest slot of a schedule that is due has not been begun, refused or missed. 0: none is due.",
    listOverdue,
  ],
  "licet_slots{schedule,state}": [
    "Kept slots of a schedule by state (docs/vocabulary.md).",
    // A change needs a zero before the first failure.
    ({ schedules }) =>
      schedules.flatMap(({ name, slots }) =>
        counted(SLOT_STATES, slots, ({ state, count }) => [state, count]).map((series): Series => [name, ...series]),
      ),
  ],
  "licet_slots_ahead{schedule}": [
    "Rows of slots that lie ahead of the clock: it was ahead when they were recorded. 0: none.",
    ({ schedules }) => schedules.map(({ name, ahead }) => [name, ahead]),
  ],
  "licet_schedule_last_slot_timestamp_seconds{schedule}": [
    "When the newest slot of a schedule that has come was due.",
    bySlot(({ slotAt }) => toSeconds(slotAt)),
  ],
  "licet_schedule_lag_seconds{schedule}": [
    "How long after its time the newest slot of a schedule was begun.",
    bySlot(({ slotAt, claimedAt }) => ageSeconds(slotAt, claimedAt)),
  ],
};

function hosts({ context }: Scrape): readonly string[] {
  return context.config.sites.map(({ host }) => host);
}

/** What was taken back has not failed: its page waits for its next purchase. */
function sum(totals: LedgerFigures["totals"], kind: TotalKind, host: string): number {
  return totals
    .filter((one) => one.kind === kind && one.host === host && !(kind === "released" && isTakenBack(one.reason)))
    .reduce((total, { count }) => total + count, 0);
}

function byReason({ totals }: LedgerFigures, kind: TotalKind): Series[] {
  const counts = new Map<string, number>();
  for (const one of totals.filter((total) => total.kind === kind)) {
    counts.set(one.reason, (counts.get(one.reason) ?? 0) + one.count);
  }
  return [...counts];
}

function byBudget(read: (figure: LedgerFigures["budgets"][number]) => number): Read {
  return ({ budgets }) => budgets.map((figure) => [...budgetLabels(figure.budget), read(figure)]);
}

/** `all per month`: as in messages, without the currency, which is a label of its own. */
export function budgetLabels({ scope, period, currency }: Budget): [budget: string, currency: string] {
  return [`${scopeKey(scope)}${period === "total" ? "" : ` per ${period}`}`, currency];
}

/** A series for each word, also for those of which there is none. */
function counted<Item>(
  words: readonly string[],
  items: readonly Item[],
  read: (item: Item) => readonly [word: string, value: number],
): Series[] {
  const values = new Map(items.map(read));
  return words.map((word) => [word, values.get(word) ?? 0]);
}

function bySlot(read: (newest: NonNullable<LedgerFigures["schedules"][number]["newest"]>) => number): Read {
  return ({ schedules }) =>
    schedules.flatMap(({ name, newest }): Series[] => (newest === null ? [] : [[name, read(newest)]]));
}

function listOverdue({ schedules }: LedgerFigures, { context, now }: Scrape): Series[] {
  const known = new Map(schedules.map((schedule) => [schedule.name, schedule]));
  return listSchedules(context.config).flatMap(({ name, times }): Series[] => {
    const recorded = known.get(name);
    if (recorded === undefined) {
      return [];
    }
    const owedAfter = Math.max(recorded.since, recorded.newest?.slotAt ?? recorded.since);
    const [due] = nextSlots(times, owedAfter, 1);
    return [[name, ageSeconds(due ?? null, now)]];
  });
}
