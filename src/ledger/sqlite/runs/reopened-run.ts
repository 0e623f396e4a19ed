/** Going on with an earlier run under what holds now. Called within a write. */

import { KINDS, type RunKind } from "../../../run/kinds.ts";
import { tightenLimits } from "../../../run/limits.ts";
import { isLimited, type RunState } from "../../../run/run-state.ts";
import type { BeginRun } from "../../run-ledger.ts";
import { rebuildFrontier } from "../frontier/frontier-rebuild.ts";
import { requeuePages, undenyPages } from "../frontier/waiting-pages.ts";
import { endHints } from "../hints/end-hints.ts";
import type { Tx } from "../operation.ts";
import { assignRun } from "./assign-run.ts";
import { applyLastingStop } from "./lasting-stops.ts";
import { readChainWorkedMs } from "./run-chain.ts";
import { readRunSpec } from "./run-rows.ts";
import { stopSites } from "./stop-site.ts";

export interface Reopening {
  readonly id: number;
  readonly name: string;
  readonly state: RunState;
  readonly kind: RunKind;
}

// A clock that was ahead took the day of a webhook run for over.
const IS_DROPPED =
  "SELECT 1 FROM run WHERE id = ? AND (frontier_dropped = 1 OR NOT EXISTS (SELECT 1 FROM frontier WHERE run_id = run.id))";

/** Assigns the run to the caller, with its limits, its sites and their terms as they are now. */
export function reopenRun(tx: Tx, { id, name, state, kind }: Reopening, begin: BeginRun): void {
  const { pagesFrom } = KINDS[kind];
  const isOfHints = pagesFrom === "notifications";
  if (isOfHints ? tx.has(IS_DROPPED, id) : isLimited(state)) {
    rebuildFrontier(tx, { id, pagesFrom }, begin.now);
  }
  const detail = "the run was ended before the request was sent; its page was decided anew";
  assignRun(tx, { ...begin, id, isAlive: false, endedBy: "nobody", reason: "decided_anew", detail });
  const own = readRunSpec(tx, name);
  const { maxPages, maxSpend } = tightenLimits(own, begin);
  const spend = [maxSpend?.micros ?? null, maxSpend?.currency ?? null] as const;
  tx.run(
    `UPDATE run SET max_pages = ?, max_spend_micros = ?, max_spend_currency = ?, deadline_at = resumed_at + max(0, ? - worked_ms - ?)
     WHERE id = ?`,
    maxPages,
    ...spend,
    begin.limits.maxDurationMs,
    readChainWorkedMs(tx, id),
    id,
  );
  if (KINDS[kind].carries.includes("order")) {
    tx.run`UPDATE run SET run_order = ${begin.callerOrder ?? own.order} WHERE id = ${id}`;
  }
  const open = renewSites(tx, id, begin);
  if (isOfHints) {
    // What is decided anew is what hints ask for: those that the run left are admitted again.
    tx.run`UPDATE run SET taken_over_by = NULL WHERE id = ${id}`;
    endHints(tx, id, begin.now);
  } else {
    undenyPages(tx, id, open);
  }
  requeuePages(tx, id);
}

/** The sites' terms of now, and their stops: lifted where they may no longer hold, new where a site is not configured any more. */
function renewSites(tx: Tx, runRowId: number, { configured, now }: BeginRun): ReadonlySet<number> {
  tx.run`UPDATE run_site SET stop = NULL, stop_detail = NULL, exhausted = '{}' WHERE run_id = ${runRowId}
    AND (stop IS NOT NULL OR exhausted <> '{}') AND stop IS NOT 'not_enabled'`;
  const terms = new Map(configured.map((site) => [site.host, site]));
  for (const { siteId, host } of tx.all<{
    siteId: number;
    host: string;
  }>`SELECT rs.site_id AS siteId, s.host FROM run_site rs
    JOIN site s ON s.id = rs.site_id WHERE rs.run_id = ${runRowId}
    ORDER BY rs.position`) {
    const site = terms.get(host);
    if (site === undefined) {
      const detail = `${host} is not configured any more: nothing of it is bought`;
      stopSites(tx, { runRowId, siteId, stop: "not_configured", detail, now });
    } else {
      tx.run`UPDATE run_site SET max_pages = ${site.maxPages}, full_walk_every_ms = ${site.fullWalkEveryMs}, overlap_ms = ${site.overlapMs}
        WHERE run_id = ${runRowId} AND site_id = ${siteId}`;
      // Again, and on sites that another run has stopped since.
      applyLastingStop(tx, { runRowId, siteId, now });
    }
  }
  return new Set(tx.values<number>`SELECT site_id FROM run_site WHERE run_id = ${runRowId} AND stop IS NULL`);
}
