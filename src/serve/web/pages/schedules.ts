/** Schedules with their slots, what came by webhooks, and what receivers of alerts were told by theirs. */
import { z } from "zod";
import type { ListedAlert } from "../../../agent/alerts/raised-alerts-agent.ts";
import { INPUTS } from "../../../agent/calls/inputs.ts";
import type { ScheduleStatus } from "../../../agent/reports/schedule-agent.ts";
import { HINT_STATES, type HintState } from "../../../ledger/hint-ledger.ts";
import { inQuery } from "../../api/request-parts.ts";
import { commandLine } from "../command-line.ts";
import { html } from "../html/html.ts";
import { facts, section, table } from "../html/tables.ts";
import { count, foreign, instant, NONE, query } from "../html/values.ts";
import { definePage } from "../page.ts";

const SLOTS = 3;
const STATE_WORDS: Readonly<Record<HintState, string>> = {
  waiting: "not in a run yet",
  entered: "in a run that has not ended",
  done: "decided",
  unknown_site: "of no configured site, and ignored",
  excluded: "left out by the configuration of their site",
};
/** Alerts whose deliveries are shown at once. */
const ALERTS = 20;
const { cursor } = inQuery(INPUTS.raisedAlerts);

type Delivery = ListedAlert["deliveries"][number] & Pick<ListedAlert, "alertId" | "raisedAt">;

export const schedulesPage = definePage({
  path: "/schedules",
  menu: { group: "Service", name: "Schedules and webhooks" },
  title: "Schedules and webhooks",
  input: { query: z.strictObject({ cursor }) },
  command: ({ query: asked }) => [
    commandLine(["schedule"], { limit: SLOTS }),
    commandLine(["status"]),
    commandLine(["alerts"], { raised: true, limit: ALERTS, ...asked }),
  ],
  read: async (reports, { query: asked }) => ({
    schedule: await reports.schedule({ limit: SLOTS }),
    notifications: (await reports.status()).notifications,
    told: await reports.raisedAlerts({ limit: ALERTS, ...asked }),
  }),
  body: ({ schedule: { schedules }, notifications, told }) => html`
${section(
  "Schedules",
  table<ScheduleStatus>({
    caption: "Schedules",
    columns: [
      { title: "Schedule", cell: ({ schedule }) => foreign(schedule) },
      { title: "Times", cell: ({ cron, timeZone }) => (cron === null ? NONE : html`<code>${cron}</code> ${timeZone}`) },
      { title: "Next slots", cell: ({ next }) => html`${next.map((at) => html`<div>${instant(at)}</div>`)}` },
      {
        title: "Last slots",
        cell: ({ slots }) =>
          slots.length === 0
            ? NONE
            : html`${slots.map(({ slotAt, state, detail }) => html`<div>${instant(slotAt)} ${state}${detail !== null && html`: ${foreign(detail)}`}</div>`)}`,
      },
    ],
    rows: schedules,
    empty: html`No schedule is configured. Give a site a <code>schedule</code>, such as <code>0 6 * * *</code>.`,
  }),
)}
${section(
  "Webhooks",
  html`<p>Notifications by state, and how far the gateway's delivery records were read.</p>
${facts([
  ...HINT_STATES.map((state) => [state, html`${count(notifications[state])} ${STATE_WORDS[state]}`] as const),
  ["Delivery records read until", instant(notifications.history.coveredUntil)],
])}`,
)}
${section(
  "Deliveries of alerts",
  table<Delivery>({
    caption: "What receivers of the alerts were told",
    columns: [
      { title: "Alert", cell: ({ alertId }) => String(alertId) },
      { title: "Raised", cell: ({ raisedAt }) => instant(raisedAt) },
      { title: "Receiver", cell: ({ to }) => foreign(to) },
      { title: "State", cell: ({ state }) => state },
      { title: "Attempts", cell: ({ attempts }) => count(attempts), isNumber: true },
      { title: "Last answer", cell: ({ state, error }) => (state === "delivered" ? "taken" : foreign(error)) },
      { title: "Next attempt", cell: ({ nextAttemptAt }) => instant(nextAttemptAt) },
      { title: "Ended", cell: ({ endedAt }) => instant(endedAt) },
    ],
    rows: told.alerts.flatMap(({ alertId, raisedAt, deliveries }) =>
      deliveries.map((delivery) => ({ alertId, raisedAt, ...delivery })),
    ),
    empty: html`No alert that is kept was for a receiver. <code>alerts</code> of the configuration says who is told of what.`,
    next: told.nextCursor === null ? null : query({ cursor: told.nextCursor }),
  }),
)}`,
});
