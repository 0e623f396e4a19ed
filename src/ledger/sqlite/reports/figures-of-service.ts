import type { LedgerFigures } from "../../ledger-figures.ts";
import { and, asc, count, desc, eq, gt, lte, sql } from "../engine/drizzle.ts";
import { alert, alertDelivery } from "../schema/alerts.ts";
import { hint, sweep } from "../schema/hints.ts";
import { site } from "../schema/pages.ts";
import { schedule, slot } from "../schema/schedules.ts";
import { asked, isLiterally, type Queries, type ReportTx } from "./queries.ts";

/** Deliveries of so many alerts are looked at. */
const NEWEST_ALERTS = 100;

/** As many rows as hints that no run has decided. */
export const selectHints = (queries: Queries) =>
  queries
    .select({ host: site.host, state: hint.state, count: count() })
    .from(hint)
    .innerJoin(site, eq(site.id, hint.siteId))
    .where(isLiterally(hint.state, "waiting"))
    .groupBy(hint.siteId);

export const selectSweep = (queries: Queries) =>
  queries.select({ completedAt: sweep.completedAt }).from(sweep).where(eq(sweep.id, 1));

/** As many rows as the kept slots of the recorded schedules. */
export function readSchedules(tx: ReportTx, now: number): LedgerFigures["schedules"] {
  return tx.rows(selectNames).map(({ name, since }) => {
    const at = { name, now };
    return {
      name,
      since,
      slots: tx.rows(selectStates, { name }),
      newest: tx.row(selectNewest, at) ?? null,
      ahead: tx.row(countAhead, at)?.rows ?? 0,
    };
  });
}

const selectNames = (queries: Queries) =>
  queries.select({ name: schedule.name, since: schedule.since }).from(schedule).orderBy(asc(schedule.name));
const ofSchedule = eq(slot.schedule, asked("name"));
const selectStates = (queries: Queries) =>
  queries
    .select({ state: slot.state, count: sql<number>`sum(${slot.slots})` })
    .from(slot)
    .where(ofSchedule)
    .groupBy(slot.state);
const selectNewest = (queries: Queries) =>
  queries
    .select({ slotAt: slot.slotAt, claimedAt: slot.claimedAt })
    .from(slot)
    .where(and(ofSchedule, lte(slot.slotAt, asked("now"))))
    .orderBy(desc(slot.slotAt))
    .limit(1);
const countAhead = (queries: Queries) =>
  queries
    .select({ rows: count() })
    .from(slot)
    .where(and(ofSchedule, gt(slot.slotAt, asked("now"))));

/** Deliveries that wait, by their index, and those that were given up of the newest alerts. */
export function countDeliveries(tx: ReportTx): LedgerFigures["alerts"] {
  return {
    pending: tx.row(countPending)?.total ?? 0,
    givenUp: tx.row(countGivenUp)?.total ?? 0,
  };
}

export const countPending = (queries: Queries) =>
  queries.select({ total: count() }).from(alertDelivery).where(isLiterally(alertDelivery.state, "pending"));

const countGivenUp = (queries: Queries) => {
  const recent = newestAlerts(queries);
  return (
    queries
      .select({ total: count() })
      .from(recent)
      // CROSS JOIN keeps the order of the tables.
      .crossJoin(alertDelivery)
      .where(and(eq(alertDelivery.alertId, recent.id), eq(alertDelivery.state, "given_up")))
  );
};

/** Older alerts are not read. */
export const newestAlerts = (queries: Queries) =>
  queries.select().from(alert).orderBy(desc(alert.id)).limit(NEWEST_ALERTS).as("recent");
