/**
 * What one run bought, and what it did not. Its purchases have no index of their own: they are among those made between its begin and its
 * end, which is one range of the key.
 */
import { SET_ASIDE_PARTS } from "../../../budget/set-aside.ts";
import { LicetError } from "../../../errors.ts";
import type { Micros } from "../../../money/micros.ts";
import { toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import { and, asc, count, eq, gt, lte, sql } from "../engine/drizzle.ts";
import type { Answered, Asked } from "../operation.ts";
import { denial, license } from "../schema/decisions.ts";
import { page, site } from "../schema/pages.ts";
import { purchase } from "../schema/purchases.ts";
import { run } from "../schema/runs.ts";
import { asked, columns, isRun, LICENSE, micros, type Queries, type ReportTx } from "./queries.ts";

export interface RunRange {
  readonly id: number;
  readonly after: number;
  readonly until: number;
}

/** The run's key, and the range of its purchases. @throws LicetError RUN_NOT_FOUND */
export function findRun(tx: ReportTx, runId: string): RunRange {
  const found = tx.row(selectRun, { runId });
  if (found === undefined) {
    throw new LicetError("RUN_NOT_FOUND", `there is no run ${runId}`, {
      hint: "`licet runs` lists the runs.",
      details: { runId },
    });
  }
  return found;
}

const selectRun = (queries: Queries) =>
  queries
    .select({
      id: run.id,
      after: run.purchasesAfter,
      until: sql<number>`coalesce(${run.purchasesUntil}, ${Number.MAX_SAFE_INTEGER})`,
    })
    .from(run)
    .where(and(eq(run.name, asked("runId")), isRun()));

/** Of the run that `findRun` found. */
export const IS_OF_RUN = and(
  gt(purchase.id, asked("after")),
  lte(purchase.id, asked("until")),
  eq(purchase.runId, asked("id")),
);

const CURRENCY = sql<Currency | null>`coalesce(${purchase.chargedCurrency}, ${purchase.currency})`;

/** `column = value`, or anything where the value is NULL. */
export const matches = (column: unknown, name: string) => sql`(${asked(name)} is null or ${column} = ${asked(name)})`;

export function readRunPurchases(
  tx: ReportTx,
  { runId, afterPurchaseId, ...filters }: Asked<"readRunPurchases">,
): Answered<"readRunPurchases"> {
  const range = findRun(tx, runId);
  return tx.rows(selectPurchases, { ...filters, ...range, after: Math.max(range.after, afterPurchaseId) });
}

const selectPurchases = (queries: Queries) =>
  queries
    .select({
      purchaseId: purchase.id,
      url: purchase.url,
      host: site.host,
      state: purchase.state,
      quotedMicros: micros(purchase.quotedMicros),
      chargedMicros: micros(purchase.chargedMicros),
      feeMicros: sql<Micros>`coalesce(${purchase.chargedFeeMicros}, ${purchase.feeMicros})`.mapWith(toMicros),
      currency: CURRENCY,
      ...columns(purchase, "reason", "detail", "reservedAt", "endedAt"),
      license: LICENSE,
    })
    .from(purchase)
    .innerJoin(site, eq(site.id, purchase.siteId))
    .leftJoin(license, eq(license.id, purchase.licenseId))
    .where(
      and(
        IS_OF_RUN,
        matches(site.host, "host"),
        sql`(${asked("license")} is null or ${license.licenseType} = ${asked("license")} or ${license.cuid} = ${asked("license")})`,
        matches(purchase.state, "state"),
      ),
    )
    .orderBy(asc(purchase.id))
    .limit(asked("limit"));

/** What rows in a group of one state count as, as in the balances. */
const sumWhere = (state: string, amount: unknown) =>
  sql<Micros>`coalesce(sum(case when ${purchase.state} in (${sql.raw(state)}) then ${amount} end), 0)`.mapWith(
    toMicros,
  );
const SET_ASIDE = sql.join(
  SET_ASIDE_PARTS.map((part) => purchase[part]),
  sql` + `,
);

export function readPurchaseGroups(
  tx: ReportTx,
  { runId }: Asked<"readPurchaseGroups">,
): Answered<"readPurchaseGroups"> {
  return tx
    .rows(selectGroups, findRun(tx, runId))
    .map(({ settledMicros, feeMicros, inDoubtMicros, reservedMicros, ...group }) => ({
      ...group,
      spend: { settledMicros, inDoubtMicros, reservedMicros, feeMicros },
    }));
}

const selectGroups = (queries: Queries) =>
  queries
    .select({
      host: site.host,
      ...columns(license, "licenseType", "cuid"),
      state: purchase.state,
      currency: CURRENCY,
      purchases: count(),
      settledMicros: sumWhere("'settled'", purchase.chargedMicros),
      feeMicros: sumWhere("'settled'", purchase.chargedFeeMicros),
      inDoubtMicros: sumWhere("'in_doubt'", SET_ASIDE),
      reservedMicros: sumWhere("'reserved', 'started'", SET_ASIDE),
    })
    .from(purchase)
    .innerJoin(site, eq(site.id, purchase.siteId))
    .leftJoin(license, eq(license.id, purchase.licenseId))
    .where(IS_OF_RUN)
    .groupBy(site.host, license.licenseType, license.cuid, purchase.state, CURRENCY)
    .orderBy(asc(site.host), asc(license.licenseType), asc(license.cuid), asc(purchase.state), asc(CURRENCY));

export function readDeniedPages(
  tx: ReportTx,
  { runId, host, limit }: Asked<"readDeniedPages">,
): Answered<"readDeniedPages"> {
  const { id } = findRun(tx, runId);
  return {
    denied: tx.rows(selectDenied, { id, host, limit }),
    total: tx.row(countDenied, { id, host })?.total ?? 0,
  };
}

const IS_DENIED = and(eq(denial.runId, asked("id")), matches(site.host, "host"));

const selectDenied = (queries: Queries) =>
  queries
    .select({
      url: page.url,
      host: site.host,
      ...columns(denial, "reason", "detail", "policyName", "ruleIndex", "at"),
    })
    .from(denial)
    .innerJoin(page, eq(page.id, denial.pageId))
    .innerJoin(site, eq(site.id, page.siteId))
    .where(IS_DENIED)
    .orderBy(asc(denial.pageId))
    .limit(asked("limit"));

const countDenied = (queries: Queries) =>
  queries
    .select({ total: count() })
    .from(denial)
    .innerJoin(page, eq(page.id, denial.pageId))
    .innerJoin(site, eq(site.id, page.siteId))
    .where(IS_DENIED);
