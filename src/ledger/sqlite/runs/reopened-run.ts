/** Going on with an earlier run under what holds now. Called within a write. */
import type { RunOrder } from "../../../policy/rule.ts";
import { KINDS, type RunKind } from "../../../run/kinds.ts";
import { tightenLimits } from "../../../run/limits.ts";
import { isLimited, type RunState } from "../../../run/run-state.ts";
import type { BeginRun } from "../../run-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";

export interface Reopening {
  readonly id: number;
  readonly name: string;
  readonly state: RunState;
  readonly kind: RunKind;
}

export function createReopenedRun(parts: LedgerParts): (run: Reopening, begin: BeginRun) => void {
  const { db, runRows, runChain, rebuildFrontier, assignRun, waitingPages, endHints } = parts;
  const applyTerms = createSiteTerms(parts);
  const setLimits = db.prepare<[number | null, number | null, string | null, number | null, number, number]>(
    `UPDATE run SET max_pages = ?, max_spend_micros = ?, max_spend_currency = ?, deadline_at = resumed_at + max(0, ? - worked_ms - ?)
     WHERE id = ?`,
  );

  // A clock that was ahead took the day of a webhook run for over.
  const isDropped = db.prepare<[number]>(
    "SELECT 1 FROM run WHERE id = ? AND (frontier_dropped = 1 OR NOT EXISTS (SELECT 1 FROM frontier WHERE run_id = run.id))",
  );
  const setOrder = db.prepare<[RunOrder, number]>("UPDATE run SET run_order = ? WHERE id = ?");
  const standAlone = db.prepare<[number]>("UPDATE run SET taken_over_by = NULL WHERE id = ?");

  return ({ id, name, state, kind }, begin) => {
    const { pagesFrom } = KINDS[kind];
    const isOfHints = pagesFrom === "notifications";
    if (isOfHints ? isDropped.get(id) !== undefined : isLimited(state)) {
      rebuildFrontier({ id, pagesFrom }, begin.now);
    }
    const detail = "the run was ended before the request was sent; its page was decided anew";
    assignRun({ ...begin, id, isAlive: false, endedBy: "nobody", reason: "decided_anew", detail });
    const own = runRows.readSpec(name);
    const { maxPages, maxSpend } = tightenLimits(own, begin);
    const spend = [maxSpend?.micros ?? null, maxSpend?.currency ?? null] as const;
    setLimits.run(maxPages, ...spend, begin.limits.maxDurationMs, runChain.workedMs(id), id);
    if (KINDS[kind].carries.includes("order")) {
      setOrder.run(begin.callerOrder ?? own.order, id);
    }
    const open = applyTerms(id, begin);
    if (isOfHints) {
      // What is decided anew is what hints ask for: those that the run left are admitted again.
      standAlone.run(id);
      endHints(id, begin.now);
    } else {
      waitingPages.undeny(id, open);
    }
    waitingPages.requeue(id);
  };
}

/** The sites' terms of now, and their stops: lifted where they may no longer hold, new where a site is not configured any more. */
function createSiteTerms(parts: LedgerParts): (runRowId: number, begin: BeginRun) => ReadonlySet<number> {
  const { db, stopSites, lastingStops } = parts;
  const selectSites = db.prepare<[number], { siteId: number; host: string }>(
    "SELECT rs.site_id AS siteId, s.host FROM run_site rs JOIN site s ON s.id = rs.site_id WHERE rs.run_id = ? ORDER BY rs.position",
  );
  const lift = db.prepare<[number]>(
    `UPDATE run_site SET stop = NULL, stop_detail = NULL, exhausted = '{}'
     WHERE run_id = ? AND (stop IS NOT NULL OR exhausted <> '{}') AND stop IS NOT 'not_enabled'`,
  );
  const setTerms = db.prepare<[number | null, number | null, number, number, number]>(
    "UPDATE run_site SET max_pages = ?, full_walk_every_ms = ?, overlap_ms = ? WHERE run_id = ? AND site_id = ?",
  );
  const selectOpen = db
    .prepare<[number], number>("SELECT site_id FROM run_site WHERE run_id = ? AND stop IS NULL")
    .pluck();
  return (runRowId, { configured, now }) => {
    lift.run(runRowId);
    const terms = new Map(configured.map((site) => [site.host, site]));
    for (const { siteId, host } of selectSites.all(runRowId)) {
      const site = terms.get(host);
      if (site === undefined) {
        const detail = `${host} is not configured any more: nothing of it is bought`;
        stopSites({ runRowId, siteId, stop: "not_configured", detail, now });
      } else {
        setTerms.run(site.maxPages, site.fullWalkEveryMs, site.overlapMs, runRowId, siteId);
        // Again, and on sites that another run has stopped since.
        lastingStops.apply({ runRowId, siteId, now });
      }
    }
    return new Set(selectOpen.all(runRowId));
  };
}
