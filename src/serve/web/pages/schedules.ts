/** Schedules with their slots, and what came by webhooks. */
import type { ScheduleStatus } from "../../../agent/reports/schedule-report.ts";
import { HINT_STATES } from "../../../ledger/hint-ledger.ts";
import { commandLine } from "../command-line.ts";
import { html } from "../html/html.ts";
import { facts, section, table } from "../html/tables.ts";
import { count, foreign, instant, NONE } from "../html/values.ts";
import { definePage } from "../page.ts";

const SLOTS = 3;

export const schedulesPage = definePage({
  path: "/schedules",
  menu: { group: "Service", name: "Schedules and webhooks" },
  title: "Schedules and webhooks",
  command: () => [commandLine(["schedule"], { limit: SLOTS }), commandLine(["status"])],
  read: async (reports) => ({
    schedule: await reports.schedule({ limit: SLOTS }),
    notifications: (await reports.status()).notifications,
  }),
  body: ({ schedule: { schedules }, notifications }) => html`
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
          html`${slots.map(({ slotAt, state, detail }) => html`<div>${instant(slotAt)} ${state} ${detail !== null && foreign(detail)}</div>`)}`,
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
  ...HINT_STATES.map((state): [string, ReturnType<typeof count>] => [state, count(notifications[state])]),
  ["Delivery records read until", instant(notifications.history.coveredUntil)],
])}`,
)}`,
});
