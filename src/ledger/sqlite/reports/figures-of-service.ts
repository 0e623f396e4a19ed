import type { LedgerFigures } from "../../ledger-figures.ts";
import { and, asc, count, desc, eq, gt, lte, sql } from "../engine/drizzle.ts";
import { alert } from "../schema/alert.ts";
import { alertDelivery } from "../schema/alert-delivery.ts";
import { hint } from "../schema/hint.ts";
import { schedule } from "../schema/schedule.ts";
import { site } from "../schema/site.ts";
import { slot } from "../schema/slot.ts";
import { sweep } from "../schema/sweep.ts";
import { isLiterally, type ReportDeps } from "./queries.ts";

/** Deliveries of so many alerts are looked at. */
const NEWEST_ALERTS = 100;

/** As many rows as hints that no run has decided. */
export function createSelectHints({ queries }: ReportDeps): () => LedgerFigures["hints"] {
  const waiting = queries
    .select({ host: site.host, state: hint.state, count: count() })
    .from(hint)
    .innerJoin(site, eq(site.id, hint.siteId))
    .where(isLiterally(hint.state, "waiting"))
    .groupBy(hint.siteId)
    .prepare();
  return () => waiting.all();
}

export function createSelectSweep({ queries }: ReportDeps): () => LedgerFigures["sweep"] {
  const select = queries.select({ completedAt: sweep.completedAt }).from(sweep).where(eq(sweep.id, 1)).prepare();
  return () => select.get() ?? null;
}

/** As many rows as the kept slots of the recorded schedules. */
export function createSelectSchedules({ queries }: ReportDeps): (now: number) => LedgerFigures["schedules"] {
  const selectNames = queries
    .select({ name: schedule.name, since: schedule.since })
    .from(schedule)
    .orderBy(asc(schedule.name))
    .prepare();
  const ofSchedule = eq(slot.schedule, sql.placeholder("name"));
  const selectStates = queries
    .select({ state: slot.state, count: sql<number>`sum(${slot.slots})` })
    .from(slot)
    .where(ofSchedule)
    .groupBy(slot.state)
    .prepare();
  const selectNewest = queries
    .select({ slotAt: slot.slotAt, claimedAt: slot.claimedAt })
    .from(slot)
    .where(and(ofSchedule, lte(slot.slotAt, sql.placeholder("now"))))
    .orderBy(desc(slot.slotAt))
    .limit(1)
    .prepare();
  const countAhead = queries
    .select({ rows: count() })
    .from(slot)
    .where(and(ofSchedule, gt(slot.slotAt, sql.placeholder("now"))))
    .prepare();
  return (now) =>
    selectNames.all().map(({ name, since }) => {
      const at = { name, now };
      return {
        name,
        since,
        slots: selectStates.all({ name }),
        newest: selectNewest.get(at) ?? null,
        ahead: countAhead.get(at)?.rows ?? 0,
      };
    });
}

export function createSelectAlerts({ queries }: ReportDeps): () => LedgerFigures["alerts"] {
  const { countPending, recent } = selectAlertRows(queries);
  const countGivenUp = queries
    .select({ total: count() })
    .from(recent)
    // CROSS JOIN keeps the order of the tables.
    .crossJoin(alertDelivery)
    .where(and(eq(alertDelivery.alertId, recent.id), eq(alertDelivery.state, "given_up")))
    .prepare();
  return () => ({ pending: countPending.get()?.total ?? 0, givenUp: countGivenUp.get()?.total ?? 0 });
}

/** Deliveries that wait, by their index, and the newest alerts. Older alerts are not read. */
export function selectAlertRows(queries: ReportDeps["queries"]) {
  return {
    countPending: queries
      .select({ total: count() })
      .from(alertDelivery)
      .where(isLiterally(alertDelivery.state, "pending"))
      .prepare(),
    recent: queries.select().from(alert).orderBy(desc(alert.id)).limit(NEWEST_ALERTS).as("recent"),
  };
}
