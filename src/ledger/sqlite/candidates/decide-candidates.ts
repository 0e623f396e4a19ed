import type { BuyingLimits } from "../../../budget/limits.ts";
import { assertBug } from "../../../errors.ts";
import type { Micros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { CandidatesDecided } from "../../candidate-ledger.ts";
import type { PageDecision } from "../../frontier-ledger.ts";
import { DUE_COLUMNS, type DuePage } from "../frontier/judge-pages.ts";
import { decidePages } from "../frontier/page-decisions.ts";
import { readBuyingLimits } from "../frontier/run-limits.ts";
import type { Asked, Tx } from "../operation.ts";
import { findOwnRun } from "../runs/own-run.ts";
import { removeCandidate } from "./candidate-rows.ts";

const SELECT_DUE = `SELECT ${DUE_COLUMNS} FROM candidate c JOIN page p ON p.id = c.page_id WHERE c.run_id = ? AND c.page_id = ?`;

/**
 * Reads: run, run_site, candidate, page, purchase, balance. Writes: purchase, denial, balances, counters, batches, candidate, frontier.
 * Idempotent: a page that was decided is a candidate no more. Promises 1, 2, 3, as in `decide`.
 */
export function decideCandidates(
  tx: Tx,
  { runId, process, sites, decisions: all, noRoom, ...terms }: Asked<"decideCandidates">,
): CandidatesDecided {
  const runRowId = findOwnRun(tx, { runId, process });
  if (runRowId === null) {
    return { stale: true, sites: [], room: {} };
  }
  const due = new Map<number, DuePage>();
  for (const { pageId } of all) {
    const page = tx.get<DuePage>(SELECT_DUE, runRowId, pageId);
    if (page !== undefined) {
      due.set(pageId, page);
    }
  }
  const decisions = all.filter(({ pageId }) => due.has(pageId));
  const bySite = new Map(sites.map((site) => [tx.lookups.siteId(site.host), site]));
  const { run, limits } = readBuyingLimits(tx, runRowId, terms, noRoom);
  const decided = decidePages(tx, {
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
    noRoom,
  });
  for (const pageId of decided.pageIds) {
    removeCandidate(tx, runRowId, pageId);
    tx.run`UPDATE frontier SET state = 'decided' WHERE run_id = ${runRowId} AND page_id = ${pageId} AND state = 'quoted'`;
  }
  return {
    stale: false,
    sites: decided.sites.map(({ siteId: _, ...site }) => site),
    room: roomOf(limits, decisions),
    ...(decided.planned === undefined ? {} : { planned: decided.planned }),
  };
}

function roomOf(limits: BuyingLimits, decisions: readonly PageDecision[]): Record<Currency, Micros> {
  const room: Record<Currency, Micros> = {};
  for (const { verdict } of decisions) {
    const currency = verdict.kind === "allowed" ? verdict.price?.cost.currency : undefined;
    const most = currency === undefined || currency in room ? null : limits.room(currency);
    if (currency !== undefined && most !== null) {
      room[currency] = most;
    }
  }
  return room;
}
