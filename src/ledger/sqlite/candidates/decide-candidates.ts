import type { RunLimits } from "../../../budget/limits.ts";
import { costOf } from "../../../budget/set-aside.ts";
import { assertBug } from "../../../errors.ts";
import type { Micros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { CandidatesDecided } from "../../candidate-ledger.ts";
import type { PageDecision } from "../../frontier-ledger.ts";
import type { Ledger } from "../../ledger.ts";
import { createPageDecisions, DUE_COLUMNS, type DuePage } from "../frontier/page-decisions.ts";
import { createLimitReader } from "../frontier/run-limits.ts";
import type { LedgerParts } from "../ledger-parts.ts";

/**
 * Reads: run, run_site, candidate, page, purchase, balance. Writes: purchase, denial, balances, counters, batches, candidate, frontier.
 * Idempotent: a page that was decided is a candidate no more. Promises 1, 2, 3, as in `decide`.
 */
export function createDecideCandidates(parts: LedgerParts): Ledger["decideCandidates"] {
  const { candidateRows } = parts;
  const decidePages = createPageDecisions(parts);
  const readLimits = createLimitReader(parts);
  const selectRun = parts.db
    .prepare<[string, string], number>(
      "SELECT id FROM run WHERE name = ? AND state = 'running' AND (process IS NULL OR process = ?)",
    )
    .pluck();
  const selectDue = parts.db.prepare<[number, number], DuePage>(
    `SELECT ${DUE_COLUMNS} FROM candidate c JOIN page p ON p.id = c.page_id WHERE c.run_id = ? AND c.page_id = ?`,
  );
  const setDecided = parts.db.prepare<[number, number]>(
    "UPDATE frontier SET state = 'decided' WHERE run_id = ? AND page_id = ? AND state = 'quoted'",
  );

  return ({ runId, process, sites, decisions: all, isLast, ...terms }) =>
    parts.write((): CandidatesDecided => {
      const runRowId = selectRun.get(runId, process);
      if (runRowId === undefined) {
        return { stale: true, sites: [], room: {} };
      }
      const due = new Map<number, DuePage>();
      for (const { pageId } of all) {
        const page = selectDue.get(runRowId, pageId);
        if (page !== undefined) {
          due.set(pageId, page);
        }
      }
      const decisions = all.filter(({ pageId }) => due.has(pageId));
      const bySite = new Map(sites.map((site) => [parts.lookups.siteId(site.host), site]));
      const { run, limits } = readLimits(runRowId, terms, true);
      const decided = decidePages({
        run,
        limits,
        terms,
        termsOf(siteId) {
          const site = bySite.get(siteId);
          assertBug(site !== undefined, "each site of a candidate has its terms");
          return site;
        },
        decisions,
        due,
        leavesUnfit: !isLast,
      });
      for (const pageId of decided.pageIds) {
        candidateRows.remove(runRowId, pageId);
        setDecided.run(runRowId, pageId);
      }
      return {
        stale: false,
        sites: decided.sites.map(({ siteId: _, ...site }) => site),
        room: roomOf(limits, decisions),
      };
    });
}

function roomOf(limits: RunLimits, decisions: readonly PageDecision[]): Record<Currency, Micros> {
  const room: Record<Currency, Micros> = {};
  for (const { verdict } of decisions) {
    const currency = verdict.kind === "allowed" ? costOf(verdict)?.currency : undefined;
    const most = currency === undefined || currency in room ? null : limits.room(currency);
    if (currency !== undefined && most !== null) {
      room[currency] = most;
    }
  }
  return room;
}
