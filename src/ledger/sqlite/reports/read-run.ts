import { LicetError } from "../../../errors.ts";
import type { Currency } from "../../../money/money.ts";
import { countByClass } from "../../../policy/denial-class.ts";
import { isTakenBack, TAKEN_BACK_REASONS } from "../../../purchase/purchase.ts";
import type { PageCounts, RefusedPage, RunSummary, SiteSummary } from "../../ledger-reports.ts";
import { and, asc, eq, gt, notInArray, sql } from "../engine/drizzle.ts";
import type { RunCounterKind } from "../money/counters.ts";
import type { Asked } from "../operation.ts";
import { tally } from "../schema/counts.ts";
import { site } from "../schema/pages.ts";
import { purchase } from "../schema/purchases.ts";
import { run, runSite } from "../schema/runs.ts";
import { asked, columns, parsed, type Queries, type ReportTx } from "./queries.ts";
import { readList } from "./read-list.ts";
import { readSpend } from "./read-spend.ts";

interface RunCounterRow {
  readonly siteId: number;
  readonly kind: RunCounterKind;
  readonly reason: string;
  readonly count: number;
}

/**
 * The summary of a run (or plan) from its counters and its balance: the cost does not grow with what it bought, but for examples of
 * pages that were refused.
 * @throws LicetError RUN_NOT_FOUND
 */
export function readRun(tx: ReportTx, runId: Asked<"readRun">): RunSummary {
  const row = tx.row(selectRun, { runId });
  if (row === undefined) {
    throw new LicetError("RUN_NOT_FOUND", `there is no run ${runId}`, {
      hint: "`licet status` lists the runs.",
      details: { runId },
    });
  }
  const { id, purchasesAfter, ...rest } = row;
  const counters = tx.rows(selectRunCounters, { id });
  const recorded = sum(counters, "use_recorded");
  const reported = sum(counters, "use_reported");
  const rejected = sum(counters, "use_rejected");
  const pages = countPages(counters);
  return {
    runId,
    ...rest,
    list: readList(tx, id, pages.seen),
    sites: tx.rows(selectSites, { id }).map((siteRow) => toSiteSummary(siteRow, counters)),
    pages,
    denials: byReason(counters, "denied"),
    failures: byReason(counters.filter(isFailure), "released"),
    refused: readRefused(tx, { id, purchasesAfter }, counters),
    spend: readSpend(tx, `run:${runId}`),
    usage: { recorded, reported, pending: recorded - reported - rejected, rejected },
  };
}

const selectRun = (queries: Queries) =>
  queries
    .select({
      ...columns(run, "id", "purchasesAfter", "state", "reason", "endedBy", "startedAt", "endedAt", "resumedAt"),
      workedBeforeMs: run.workedMs,
    })
    .from(run)
    .where(eq(run.name, asked("runId")));

const selectRunCounters = (queries: Queries) =>
  queries
    .select({ siteId: tally.siteId, kind: tally.kind, reason: tally.reason, count: tally.count })
    .from(tally)
    .where(eq(tally.runId, asked("id")));

/** Refused pages that a summary names. */
const MAX_REFUSED = 5;
/** What was released for another page's sake, or for the run's, says nothing of its own. */
const UNSAID_RELEASES: readonly string[] = ["resolved_not_charged", ...TAKEN_BACK_REASONS];

function readRefused(
  tx: ReportTx,
  row: { readonly id: number; readonly purchasesAfter: number },
  counters: readonly RunCounterRow[],
): RefusedPage[] {
  const isRefused = ({ kind, reason, count }: RunCounterRow) =>
    kind === "released" && count > 0 && !UNSAID_RELEASES.includes(reason);
  // Most runs have none, and need not be read for it.
  return counters.some(isRefused) ? tx.rows(selectRefused, { ...row }) : [];
}

const selectRefused = (queries: Queries) =>
  queries
    .select({
      url: purchase.url,
      reason: sql<string>`${purchase.reason}`,
      detail: sql<string>`coalesce(${purchase.detail}, '')`,
    })
    .from(purchase)
    .where(
      and(
        gt(purchase.id, asked("purchasesAfter")),
        eq(purchase.runId, asked("id")),
        eq(purchase.state, "released"),
        notInArray(purchase.reason, [...UNSAID_RELEASES]),
      ),
    )
    .orderBy(asc(purchase.id))
    .limit(MAX_REFUSED);

const selectSites = (queries: Queries) =>
  queries
    .select({
      siteId: runSite.siteId,
      host: site.host,
      ...columns(runSite, "stop", "stopDetail", "walkWarning", "walkEnded"),
      exhausted: parsed<Record<Currency, string>>(runSite.exhausted),
    })
    .from(runSite)
    .innerJoin(site, eq(site.id, runSite.siteId))
    .where(eq(runSite.runId, asked("id")))
    .orderBy(asc(runSite.position));

type SiteRow = ReturnType<ReturnType<typeof selectSites>["all"]>[number];

function toSiteSummary(
  { siteId, walkEnded, exhausted, ...row }: SiteRow,
  counters: readonly RunCounterRow[],
): SiteSummary {
  const own = counters.filter((counter) => counter.siteId === siteId);
  return {
    ...row,
    ...countPages(own),
    rejected: sum(own, "rejected"),
    empty: sum(own, "empty"),
    walkEnded: walkEnded !== null,
    repurchased: sum(own, "repurchased"),
    repurchasedEqual: sum(own, "repurchased_equal"),
    exhausted,
  };
}

function countPages(counters: readonly RunCounterRow[]): PageCounts {
  const [seen, unchanged, excluded] = [sum(counters, "seen"), sum(counters, "unchanged"), sum(counters, "excluded")];
  const [approved, denied] = [sum(counters, "approved"), sum(counters, "denied")];
  const bought = sum(counters, "settled");
  const failed = sum(counters.filter(isFailure), "released");
  const inDoubt = sum(counters, "in_doubt");
  return {
    seen,
    unchanged,
    excluded,
    quoted: sum(counters, "quoted"),
    approved,
    denied,
    deniedBy: countByClass(byReason(counters, "denied")),
    undecided: rest(seen, unchanged + excluded + approved + denied),
    bought,
    failed,
    inDoubt,
    open: rest(approved, bought + failed + inDoubt),
  };
}

/** Below zero only where the counts are damaged, which `audit` reports. */
function rest(whole: number, parts: number): number {
  return Math.max(0, whole - parts);
}

/** What was taken back before it was sent has not failed: its page waits, or is the next run's. */
function isFailure({ kind, reason }: RunCounterRow): boolean {
  return kind === "released" && !isTakenBack(reason);
}

function sum(counters: readonly RunCounterRow[], wanted: RunCounterKind): number {
  return counters.reduce((total, { kind, count }) => (kind === wanted ? total + count : total), 0);
}

function byReason(counters: readonly RunCounterRow[], wanted: RunCounterKind): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind, reason, count } of counters) {
    if (kind === wanted && count > 0) {
      counts[reason] = (counts[reason] ?? 0) + count;
    }
  }
  return counts;
}
