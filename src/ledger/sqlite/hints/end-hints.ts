/**
 * What becomes of the hints of a webhook run when it ends, is interrupted, is taken over, or goes on after its process died. A hint is `done`
 * when its page was decided for good. Else it waits again: no hint is lost with its run. Called within a write, while the run still has its
 * frontier, and after what it only reserved was released.
 */

import type { DenialReason } from "../../../policy/verdict.ts";
import { isTakenBack, type PurchaseState } from "../../../purchase/purchase.ts";
import { doubledMs } from "../../../time/backoff.ts";
import { nextMidnight } from "../../../time/period.ts";
import { FRONTIER_STATE } from "../frontier/frontier-state.ts";
import type { Tx } from "../operation.ts";
import { PASSING_DENIALS } from "../runs/high-water.ts";
import type { FrontierState } from "../schema/work.ts";

const MINUTE_MS = 60_000;
/** The pause after a limit or a stop of the site. A new day ends it: its budgets are new. */
const LIMIT_PAUSE_MS = 5 * MINUTE_MS;
/** After a refusal the pause doubles from a minute to an hour, and the last refusal is final: some four hours in all. */
const MAX_REFUSAL_PAUSE_MS = 60 * MINUTE_MS;
const MAX_TRIES = 8;

/** The gateway gave no rate. It may do so later, but not for ever. */
const REFUSED_QUOTES: readonly DenialReason[] = ["not_quoted", "quote_refused"];

interface EnteredRow {
  readonly id: number;
  readonly tries: number;
  readonly seenAs: FrontierState | null;
  readonly isStopped: number;
  readonly denied: DenialReason | null;
  /** Of the run's newest purchase of the page. */
  readonly state: PurchaseState | null;
  readonly reason: string | null;
}

type HintOutcome = "done" | "at_once" | "after_limit" | "after_refusal" | "tomorrow";

const SELECT_ENTERED = `SELECT h.id, h.tries, ${FRONTIER_STATE} AS seenAs, rs.stop IS NOT NULL AS isStopped, d.reason AS denied, p.state, p.reason
  FROM hint h INDEXED BY hint_entered
  LEFT JOIN page g ON g.url = h.url
  LEFT JOIN run_site rs ON rs.run_id = h.run_id AND rs.site_id = h.site_id
  LEFT JOIN frontier f ON f.run_id = h.run_id AND f.page_id = g.id
  LEFT JOIN denial d ON d.run_id = h.run_id AND d.page_id = g.id
  LEFT JOIN purchase p ON p.id = (SELECT max(n.id) FROM purchase n WHERE n.page_id = g.id AND n.run_id = h.run_id)
  WHERE h.run_id = ? AND h.state = 'entered'`;

/** Decides about every hint of a run. A second call finds none. */
export function endHints(tx: Tx, runRowId: number, now: number): void {
  const entered = tx.all<EnteredRow>(SELECT_ENTERED, runRowId);
  for (const row of entered) {
    const outcome = outcomeOf(row);
    const tries = row.tries + (outcome === "after_refusal" ? 1 : 0);
    if (outcome === "done" || tries >= MAX_TRIES) {
      tx.run`UPDATE hint SET state = 'done', ended_at = ${now} WHERE id = ${row.id}`;
    } else {
      tx.run`UPDATE hint SET state = 'waiting', run_id = NULL, tries = ${tries}, not_before = ${nextTryAt(outcome, tries, now)}
        WHERE id = ${row.id}`;
    }
  }
}

function outcomeOf({ seenAs, isStopped, denied, state, reason }: EnteredRow): HintOutcome {
  const isDecided = seenAs === "decided";
  if (isDecided && denied !== null) {
    return REFUSED_QUOTES.includes(denied)
      ? "after_refusal"
      : PASSING_DENIALS.includes(denied)
        ? "after_limit"
        : "done";
  }
  if (isDecided && state === "settled") {
    return "done";
  }
  if (isDecided && state === "in_doubt") {
    // The run has decided this version. With `inDoubt: rebuy` it is for the next run to buy it.
    return "tomorrow";
  }
  if (isDecided && state === "released" && !isTakenBack(reason ?? "")) {
    return "after_refusal";
  }
  // Not decided, only reserved and taken back, or sent and not yet answered: whoever goes on finds out.
  return isStopped === 1 ? "after_limit" : "at_once";
}

function nextTryAt(outcome: Exclude<HintOutcome, "done">, tries: number, now: number): number {
  const midnight = nextMidnight(now);
  switch (outcome) {
    case "at_once":
      return now;
    case "after_limit":
      return Math.min(now + LIMIT_PAUSE_MS, midnight);
    case "after_refusal":
      return Math.min(now + doubledMs(tries, MINUTE_MS, MAX_REFUSAL_PAUSE_MS), midnight);
    case "tomorrow":
      return midnight;
    default:
      return outcome satisfies never;
  }
}
