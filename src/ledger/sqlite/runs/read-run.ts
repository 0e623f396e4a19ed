import { LicetError } from "../../../errors.ts";
import { countByClass } from "../../../policy/denial-class.ts";
import { isTakenBack, TAKEN_BACK_REASONS } from "../../../purchase/purchase.ts";
import type { PageCounts, RefusedPage, RunSummary, SiteSummary } from "../../ledger-reports.ts";
import { readList } from "../lists/read-list.ts";
import type { RunCounterKind } from "../money/counters.ts";
import { readSpend } from "../money/read-spend.ts";
import type { Asked, ReadTx } from "../operation.ts";

interface RunCounterRow {
  readonly siteId: number;
  readonly kind: RunCounterKind;
  readonly reason: string;
  readonly count: number;
}

interface RunRow
  extends Pick<RunSummary, "state" | "reason" | "endedBy" | "startedAt" | "endedAt" | "resumedAt" | "workedBeforeMs"> {
  readonly id: number;
  readonly purchasesAfter: number;
}

/**
 * The summary of a run (or plan) from its counters and its balance: the cost does not grow with what it bought, but for examples of
 * pages that were refused. Every run asks it at its end, so no report is loaded for it.
 * @throws LicetError RUN_NOT_FOUND
 */
export function readRun(tx: ReadTx, runId: Asked<"readRun">): RunSummary {
  const row = tx.get<RunRow>`SELECT id, purchases_after AS purchasesAfter, state, reason, ended_by AS endedBy, started_at AS startedAt,
      ended_at AS endedAt, resumed_at AS resumedAt, worked_ms AS workedBeforeMs
    FROM run WHERE name = ${runId}`;
  if (row === undefined) {
    throw new LicetError("RUN_NOT_FOUND", `there is no run ${runId}`, {
      hint: "`licet status` lists the runs.",
      details: { runId },
    });
  }
  const { id, purchasesAfter, ...rest } = row;
  const counters = tx.all<RunCounterRow>`SELECT site_id AS siteId, kind, reason, count FROM tally WHERE run_id = ${id}`;
  const recorded = sum(counters, "use_recorded");
  const reported = sum(counters, "use_reported");
  const rejected = sum(counters, "use_rejected");
  const pages = countPages(counters);
  return {
    runId,
    ...rest,
    list: readList(tx, id, pages.seen),
    sites: readSites(tx, id).map((site) => toSiteSummary(site, counters)),
    pages,
    denials: byReason(counters, "denied"),
    failures: byReason(counters.filter(isFailure), "released"),
    refused: readRefused(tx, { id, purchasesAfter }, counters),
    spend: readSpend(tx, `run:${runId}`),
    usage: { recorded, reported, pending: recorded - reported - rejected, rejected },
  };
}

/** Refused pages that a summary names. */
const MAX_REFUSED = 5;
/** What was released for another page's sake, or for the run's, says nothing of its own. */
const UNSAID_RELEASES: readonly string[] = ["resolved_not_charged", ...TAKEN_BACK_REASONS];

const SELECT_REFUSED = `SELECT url, reason, coalesce(detail, '') AS detail FROM purchase
  WHERE id > ? AND run_id = ? AND state = 'released' AND reason NOT IN (${UNSAID_RELEASES.map(() => "?").join(", ")})
  ORDER BY id LIMIT ?`;

function readRefused(
  tx: ReadTx,
  { id, purchasesAfter }: Pick<RunRow, "id" | "purchasesAfter">,
  counters: readonly RunCounterRow[],
): RefusedPage[] {
  const isRefused = ({ kind, reason, count }: RunCounterRow) =>
    kind === "released" && count > 0 && !UNSAID_RELEASES.includes(reason);
  // Most runs have none, and need not be read for it.
  return counters.some(isRefused)
    ? tx.all<RefusedPage>(SELECT_REFUSED, purchasesAfter, id, ...UNSAID_RELEASES, MAX_REFUSED)
    : [];
}

interface SiteRow extends Pick<SiteSummary, "host" | "stop" | "stopDetail" | "walkWarning"> {
  readonly siteId: number;
  readonly walkEnded: string | null;
  /** JSON. */
  readonly exhausted: string;
}

function readSites(tx: ReadTx, id: number): readonly SiteRow[] {
  return tx.all<SiteRow>`SELECT rs.site_id AS siteId, s.host, rs.stop, rs.stop_detail AS stopDetail, rs.walk_warning AS walkWarning,
      rs.walk_ended AS walkEnded, rs.exhausted
    FROM run_site rs JOIN site s ON s.id = rs.site_id WHERE rs.run_id = ${id} ORDER BY rs.position`;
}

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
    exhausted: JSON.parse(exhausted),
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
