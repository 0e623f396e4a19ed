/** Every site, and how it stands. */

import { z } from "zod";
import { INPUTS } from "../../../agent/calls/inputs.ts";
import type { SiteState, SiteStatus } from "../../../agent/sites/sites-report.ts";
import type { BoundedCount } from "../../../ledger/site-reports.ts";
import { inQuery, rows } from "../../api/request-parts.ts";
import { commandLine } from "../command-line.ts";
import { amountColumn, amountOfEach } from "../html/amount-column.ts";
import { type Html, html } from "../html/html.ts";
import { table } from "../html/tables.ts";
import { address, badge, count, dayOf, foreign, instant, link, NONE, query } from "../html/values.ts";
import { definePage } from "../page.ts";

const MAX_ROWS = 200;
const USUAL_ROWS = 50;

const TONES: Readonly<Record<SiteState, Parameters<typeof badge>[1]>> = {
  stopped: "bad",
  paused: "caution",
  at_work: "good",
  ended_early: "caution",
  ready: "good",
  new: "plain",
  not_configured: "plain",
};

export const stateBadge = (state: SiteState): Html => badge(state.replace("_", " "), TONES[state]);

/** A count that was not counted to its end says so. */
export const bounded = ({ pages, isAtLeast }: BoundedCount): Html => html`${isAtLeast && "at least "}${count(pages)}`;

type SiteSpend = SiteStatus["spend"][string];

const spentColumn = (title: string, of: (spend: SiteSpend) => SiteSpend["settledMicros"]) =>
  amountColumn<SiteStatus>(title, ({ spend }) => amountOfEach(spend, of));

export const sitesPage = definePage({
  path: "/sites",
  menu: { group: "Content", name: "Sites" },
  title: "Sites",
  input: { query: z.strictObject({ ...inQuery(INPUTS.sites), limit: rows(MAX_ROWS, USUAL_ROWS) }) },
  command: ({ query: { limit, cursor } }) => commandLine(["sites"], { limit, cursor }),
  read: (reports, asked) => reports.sites(asked.query),
  body: ({ sites, nextCursor }, { asked: { query: given } }) => html`
<p>The sites of the configuration, and those that this ledger knows from before.</p>
${table<SiteStatus>({
  caption: "Sites by host",
  columns: [
    { title: "Site", cell: ({ host }) => link(address`/sites/${host}`, foreign(host)) },
    { title: "State", cell: ({ state }) => stateBadge(state) },
    {
      title: "Reason",
      cell: ({ stop, stopDetail }) => (stop === null ? NONE : html`${stop}: ${foreign(stopDetail)}`),
    },
    { title: "Pages stored", cell: ({ stored }) => bounded(stored), isNumber: true },
    { title: "Newest", cell: ({ newestStoredAt }) => dayOf(newestStoredAt) },
    spentColumn("Charged", ({ settledMicros }) => settledMicros),
    spentColumn("Fees", ({ feeMicros }) => feeMicros),
    { title: "Last walk", cell: ({ lastWalk }) => instant(lastWalk?.startedAt ?? null) },
    { title: "Next slot", cell: ({ nextSlotAt }) => instant(nextSlotAt) },
  ],
  rows: sites,
  empty: html`There is no site yet. Add one under <code>sites</code> in the configuration, and start the service again.`,
  next: nextCursor === null ? null : `/sites${query({ limit: given.limit, cursor: nextCursor })}`,
})}`,
});
