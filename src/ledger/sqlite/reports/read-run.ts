import { LicetError } from "../../../errors.ts";
import { isTakenBack, TAKEN_BACK_REASONS } from "../../../purchase/purchase.ts";
import type { Ledger } from "../../ledger.ts";
import type { PageCounts, RefusedPage, RunSummary, SiteSummary } from "../../ledger-reports.ts";
import type { RunState } from "../../run-ledger.ts";
import type { Connection } from "../engine/connection.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { TallyKind } from "../runs/tally-book.ts";
import { createSelectSpend } from "./select-spend.ts";

interface RunRow {
  readonly id: number;
  readonly state: RunState;
  readonly reason: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

interface SiteRow {
  readonly siteId: number;
  readonly host: string;
  readonly stop: string | null;
  readonly stopDetail: string | null;
  readonly walkWarning: string | null;
  readonly walkEnded: number;
  readonly exhausted: string;
}

interface TallyRow {
  readonly siteId: number;
  readonly kind: TallyKind;
  readonly reason: string;
  readonly count: number;
}

/**
 * The summary of a run (or plan) from its tallies and its balance: the cost does not grow with what it bought, but for examples of
 * pages that were refused.
 * @throws LicetError RUN_NOT_FOUND
 */
export function createReadRun({ db, read }: LedgerCore): Ledger["readRun"] {
  const selectRun = db.prepare<[string], RunRow>(
    "SELECT id, state, reason, started_at AS startedAt, ended_at AS endedAt FROM run WHERE name = ?",
  );
  const selectTallies = db.prepare<[number], TallyRow>(
    "SELECT site_id AS siteId, kind, reason, count FROM tally WHERE run_id = ?",
  );
  const selectSites = createSelectSites(db);
  const readRefused = createRefusedReader(db);
  const selectSpend = createSelectSpend(db);
  return (runId) =>
    read((): RunSummary => {
      const run = selectRun.get(runId);
      if (run === undefined) {
        throw new LicetError("RUN_NOT_FOUND", `there is no run ${runId}`, {
          hint: "`licet status` lists the runs.",
          details: { runId },
        });
      }
      const { id, ...rest } = run;
      const tallies = selectTallies.all(id);
      const recorded = sum(tallies, "use_recorded");
      const reported = sum(tallies, "use_reported");
      const rejected = sum(tallies, "use_rejected");
      return {
        runId,
        ...rest,
        sites: selectSites.all(id).map((site) => toSiteSummary(site, tallies)),
        pages: countPages(tallies),
        denials: byReason(tallies, "denied"),
        failures: byReason(tallies.filter(isFailure), "released"),
        refused: readRefused(id, tallies),
        spend: selectSpend(`run:${runId}`),
        usage: { recorded, reported, pending: recorded - reported - rejected, rejected },
      };
    });
}

/** Refused pages that a summary names. */
const MAX_REFUSED = 5;
/** What was released for another page's sake, or for the run's, says nothing of its own. */
const UNSAID_RELEASES: readonly string[] = ["resolved_not_charged", ...TAKEN_BACK_REASONS];

function createRefusedReader(db: Connection): (runRowId: number, tallies: readonly TallyRow[]) => RefusedPage[] {
  const select = db.prepare<[number, number, string, number], RefusedPage>(
    `SELECT url, reason, coalesce(detail, '') AS detail FROM purchase
     WHERE id > (SELECT purchases_after FROM run WHERE id = ?) AND run_id = ? AND state = 'released'
       AND reason NOT IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?`,
  );
  return (runRowId, tallies) => {
    const isRefused = ({ kind, reason, count }: TallyRow) =>
      kind === "released" && count > 0 && !UNSAID_RELEASES.includes(reason);
    // Most runs have none, and need not be read for it.
    return tallies.some(isRefused) ? select.all(runRowId, runRowId, JSON.stringify(UNSAID_RELEASES), MAX_REFUSED) : [];
  };
}

function createSelectSites(db: Connection) {
  return db.prepare<[number], SiteRow>(
    `SELECT rs.site_id AS siteId, s.host, rs.stop, rs.stop_detail AS stopDetail, rs.walk_warning AS walkWarning,
            rs.walk_ended IS NOT NULL AS walkEnded, rs.exhausted
     FROM run_site rs JOIN site s ON s.id = rs.site_id WHERE rs.run_id = ? ORDER BY rs.position`,
  );
}

function toSiteSummary({ siteId, walkEnded, exhausted, ...site }: SiteRow, tallies: readonly TallyRow[]): SiteSummary {
  const own = tallies.filter((tally) => tally.siteId === siteId);
  return {
    ...site,
    ...countPages(own),
    rejected: sum(own, "rejected"),
    empty: sum(own, "empty"),
    walkEnded: walkEnded === 1,
    repurchased: sum(own, "repurchased"),
    repurchasedEqual: sum(own, "repurchased_equal"),
    exhausted: JSON.parse(exhausted) as Record<string, string>,
  };
}

function countPages(tallies: readonly TallyRow[]): PageCounts {
  return {
    seen: sum(tallies, "seen"),
    unchanged: sum(tallies, "unchanged"),
    excluded: sum(tallies, "excluded"),
    quoted: sum(tallies, "quoted"),
    approved: sum(tallies, "approved"),
    denied: sum(tallies, "denied"),
    acquired: sum(tallies, "settled"),
    failed: sum(tallies.filter(isFailure), "released"),
    inDoubt: sum(tallies, "in_doubt"),
  };
}

/** What was taken back before it was sent has not failed: its page waits, or is the next run's. */
function isFailure({ kind, reason }: TallyRow): boolean {
  return kind === "released" && !isTakenBack(reason);
}

function sum(tallies: readonly TallyRow[], wanted: TallyKind): number {
  return tallies.reduce((total, { kind, count }) => (kind === wanted ? total + count : total), 0);
}

function byReason(tallies: readonly TallyRow[], wanted: TallyKind): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind, reason, count } of tallies) {
    if (kind === wanted && count > 0) {
      counts[reason] = (counts[reason] ?? 0) + count;
    }
  }
  return counts;
}
