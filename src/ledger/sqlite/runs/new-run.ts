/** The rows of a new run: itself, its sites, and a first walk for each that no open item stops. Called within a write. */
import { createWalkState } from "../../../catalog/walk-state.ts";
import type { RunSiteSpec, RunSpec, RunTrigger } from "../../run-ledger.ts";
import { createWalkStates } from "../frontier/walk-states.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createBatches } from "./batches.ts";
import { createHighWater } from "./high-water.ts";
import { createLastingStops } from "./lasting-stops.ts";

export interface RunHands {
  readonly trigger: RunTrigger;
  readonly process: string | null;
  readonly aliveUntil: number | null;
}

/** @returns its row's id */
export function createRunInsert(core: LedgerCore): (spec: RunSpec, hands: RunHands) => number {
  const insert = core.db
    .prepare<unknown[], number>(
      `INSERT INTO run (name, kind, state, started_at, max_pages, max_spend_micros, max_spend_currency, deadline_at, purchases_after,
         started_by, process, alive_until)
       VALUES (?, ?, 'running', ?, ?, ?, ?, ?, (SELECT coalesce(max(id), 0) FROM purchase), ?, ?, ?) RETURNING id`,
    )
    .pluck();
  const addSite = createSiteAdder(core);
  const lasting = createLastingStops(core);
  return (spec, { trigger, process, aliveUntil }) => {
    const { runId, kind, startedAt, maxPages, maxSpend, deadlineAt } = spec;
    const id = insert.get(
      runId,
      kind,
      startedAt,
      maxPages,
      maxSpend?.micros ?? null,
      maxSpend?.currency ?? null,
      deadlineAt,
      trigger,
      process,
      aliveUntil,
    ) as number;
    for (const [position, site] of spec.sites.entries()) {
      const siteId = addSite(id, position, site, startedAt);
      lasting.apply({ runId: id, siteId, now: startedAt });
    }
    return id;
  };
}

/** @returns the site's id */
function createSiteAdder(
  core: LedgerCore,
): (runId: number, position: number, site: RunSiteSpec, startedAt: number) => number {
  const batches = createBatches(core.db);
  const walks = createWalkStates(core.db);
  const highWater = createHighWater(core.db);
  const insert = core.db.prepare<[number, number, number, number | null, number | null, number]>(
    "INSERT INTO run_site (run_id, site_id, position, max_pages, full_walk_every_ms, overlap_ms) VALUES (?, ?, ?, ?, ?, ?)",
  );
  return (runId, position, site, startedAt) => {
    const siteId = core.interned.siteId(site.host);
    insert.run(runId, siteId, position, site.maxPages, site.fullWalkEveryMs, site.overlapMs);
    walks.write(runId, siteId, createWalkState(highWater.stopBelow(siteId, site, startedAt)), null);
    batches.add({ runId, siteId, stage: "walk", size: 0 });
    return siteId;
  };
}
