import { createWalkState } from "../../../catalog/walk-state.ts";
import type { Ledger } from "../../ledger.ts";
import type { RunSiteSpec, RunSpec } from "../../run-ledger.ts";
import { createBatches } from "../batches.ts";
import { createFrontierDrop } from "../frontier-drop.ts";
import { createLastingStops } from "../lasting-stops.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createPlanDiscard } from "../plan-discard.ts";
import { createRunRows } from "../run-rows.ts";
import { createWalkStates } from "../walk-states.ts";

/**
 * Writes: run, run_site, site, batch, in one transaction. Idempotent by `runId`. A site that an open item stops is stopped from the
 * start. Before that, clears away what a crash left behind:
 * frontiers of runs that are over, and plans that nobody works on any more (none of whose leases is alive).
 */
export function createCreateRun(core: LedgerCore): Ledger["createRun"] {
  const rows = createRunRows(core.db);
  const clearLeftovers = createLeftoverClearing(core);
  const insert = core.db.prepare(
    `INSERT INTO run (name, kind, state, started_at, max_pages, max_spend_micros, max_spend_currency, deadline_at, purchases_after)
     VALUES (?, ?, 'running', ?, ?, ?, ?, ?, (SELECT coalesce(max(id), 0) FROM purchase)) RETURNING id`,
  );
  const addSite = createSiteAdder(core);
  const lasting = createLastingStops(core);

  return async (spec) => {
    await clearLeftovers(spec.startedAt);
    await core.write(() => {
      if (rows.find(spec.runId) !== null) {
        return;
      }
      const { runId, kind, startedAt, maxPages, maxSpend, deadlineAt } = spec;
      const { id } = insert.get(
        runId,
        kind,
        startedAt,
        maxPages,
        maxSpend?.micros ?? null,
        maxSpend?.currency ?? null,
        deadlineAt,
      ) as { id: number };
      for (const [position, site] of spec.sites.entries()) {
        const siteId = addSite(id, position, site, spec);
        lasting.apply({ runId: id, siteId, now: startedAt });
      }
    });
  };
}

/** @returns the site's id */
function createSiteAdder(
  core: LedgerCore,
): (runId: number, position: number, site: RunSiteSpec, spec: RunSpec) => number {
  const batches = createBatches(core.db);
  const walks = createWalkStates(core.db);
  const selectMark = core.db.prepare<[number], { highWaterAt: number | null; lastFullWalkAt: number | null }>(
    "SELECT high_water_at AS highWaterAt, last_full_walk_at AS lastFullWalkAt FROM site WHERE id = ?",
  );
  const insert = core.db.prepare<[number, number, number, number | null, number | null, number]>(
    "INSERT INTO run_site (run_id, site_id, position, max_pages, full_walk_every_ms, overlap_ms) VALUES (?, ?, ?, ?, ?, ?)",
  );

  /** Where an incremental walk may stop; null when a full one is due. */
  function stopBelow(siteId: number, { fullWalkEveryMs, overlapMs }: RunSiteSpec, startedAt: number): number | null {
    const mark = selectMark.get(siteId);
    const lastFullAt = mark?.lastFullWalkAt ?? null;
    const highWaterAt = mark?.highWaterAt ?? null;
    if (lastFullAt === null || highWaterAt === null || fullWalkEveryMs === null) {
      return null;
    }
    return startedAt - lastFullAt < fullWalkEveryMs ? highWaterAt - overlapMs : null;
  }

  return (runId, position, site, { startedAt }) => {
    const siteId = core.interned.siteId(site.host);
    insert.run(runId, siteId, position, site.maxPages, site.fullWalkEveryMs, site.overlapMs);
    walks.write(runId, siteId, createWalkState(stopBelow(siteId, site, startedAt)), null);
    batches.add({ runId, siteId, stage: "walk", size: 0 });
    return siteId;
  };
}

function createLeftoverClearing(core: LedgerCore): (now: number) => Promise<void> {
  const dropFrontier = createFrontierDrop(core);
  const discardPlan = createPlanDiscard(core);
  const selectOver = core.db
    .prepare<[], number>(
      "SELECT id FROM run WHERE frontier_dropped = 0 AND state <> 'running' AND state NOT IN ('interrupted', 'failed')",
    )
    .pluck();
  const selectPlans = core.db
    .prepare<[number], number>(
      `SELECT id FROM run WHERE kind = 'plan'
       AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.run_id = run.id AND b.state = 'leased' AND b.ready_at > ?)`,
    )
    .pluck();
  return async (now) => {
    for (const runId of await core.read(() => selectOver.all())) {
      await dropFrontier(runId);
    }
    for (const planId of await core.read(() => selectPlans.all(now))) {
      await discardPlan(planId);
    }
  };
}
