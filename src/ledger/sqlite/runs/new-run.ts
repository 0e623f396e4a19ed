/** The rows of a new run: itself, its sites, and a first walk for each that no open item stops. Called within a write. */
import { createWalkState } from "../../../catalog/walk-state.ts";
import { KINDS } from "../../../run/kinds.ts";
import type { Ledger } from "../../ledger.ts";
import type { NewList } from "../../list-ledger.ts";
import type { RunSiteSpec, RunSpec, RunTrigger } from "../../run-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createListInsert } from "../lists/new-list.ts";

export interface RunProcess {
  readonly trigger: RunTrigger;
  readonly process: string | null;
  readonly aliveUntil: number | null;
  /** Names a webhook run; null for every other. */
  readonly key: string | null;
  /** Of a run that buys from a list; null for every other. */
  readonly list: NewList | null;
}

/** @returns its row's id */
export function createRunInsert(
  parts: LedgerCore & Pick<LedgerParts, "batches" | "walks" | "highWater" | "lastingStops">,
): (spec: RunSpec, process: RunProcess) => number {
  const { lastingStops } = parts;
  const insert = parts.db
    .prepare<unknown[], number>(
      `INSERT INTO run (name, kind, state, started_at, max_pages, max_spend_micros, max_spend_currency, deadline_at, purchases_after,
         started_by, process, alive_until, key, run_order)
       VALUES (?, ?, 'running', ?, ?, ?, ?, ?, (SELECT coalesce(max(id), 0) FROM purchase), ?, ?, ?, ?, ?) RETURNING id`,
    )
    .pluck();
  const insertList = createListInsert(parts.db);
  const addSite = createSiteAdder(parts);
  return (spec, { trigger, process, aliveUntil, key, list }) => {
    const { runId, kind, startedAt, maxPages, maxSpend, deadlineAt, order } = spec;
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
      key,
      order,
    ) as number;
    if (list !== null) {
      insertList(id, list);
    }
    const isWalked = KINDS[kind].pagesFrom === "catalogs";
    for (const [position, site] of spec.sites.entries()) {
      const siteId = addSite({ runRowId: id, position, site, startedAt, walks: isWalked });
      lastingStops.apply({ runRowId: id, siteId, now: startedAt });
    }
    return id;
  };
}

/** @returns the site's id */
function createSiteAdder(
  parts: LedgerCore & Pick<LedgerParts, "batches" | "walks" | "highWater">,
): (adding: {
  readonly runRowId: number;
  readonly position: number;
  readonly site: RunSiteSpec;
  readonly startedAt: number;
  readonly walks: boolean;
}) => number {
  const { batches, walks, highWater } = parts;
  const insert = parts.db.prepare<[number, number, number, number | null, number | null, number]>(
    "INSERT INTO run_site (run_id, site_id, position, max_pages, full_walk_every_ms, overlap_ms) VALUES (?, ?, ?, ?, ?, ?)",
  );
  return ({ runRowId, position, site, startedAt, walks: isWalked }) => {
    const siteId = parts.lookups.siteId(site.host);
    insert.run(runRowId, siteId, position, site.maxPages, site.fullWalkEveryMs, site.overlapMs);
    if (isWalked) {
      walks.write(runRowId, siteId, createWalkState(highWater.stopBelow(siteId, site, startedAt)), null);
      batches.add({ runRowId, siteId, stage: "walk", size: 0 });
    } else {
      // Not complete: the site's marks stay where its last walk left them.
      walks.write(runRowId, siteId, { ...createWalkState(null), ended: "cut" }, null);
    }
    return siteId;
  };
}

/** Writes: run, run_site, site, batch, in one transaction, after what a crash left behind was cleared away. Idempotent by `runId`. */
export function createCreateRun(parts: LedgerParts): Ledger["createRun"] {
  const { runRows, clearLeftovers, insertRun } = parts;
  return async (spec, worker) => {
    await clearLeftovers(worker ?? { now: spec.startedAt, aliveMs: Number.MAX_SAFE_INTEGER, gone: [] });
    await parts.write(() => {
      if (runRows.find(spec.runId) === null) {
        const process = worker?.process ?? null;
        const aliveUntil = worker === undefined ? null : worker.now + worker.aliveMs;
        insertRun(spec, { trigger: "manual", process, aliveUntil, key: null, list: null });
      }
    });
  };
}
