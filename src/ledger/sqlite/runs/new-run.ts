/** The rows of a new run: itself, its sites, and a first walk for each that no open item stops. Called within a write. */

import { createWalkState } from "../../../catalog/walk-state.ts";
import { KINDS } from "../../../run/kinds.ts";
import type { NewList } from "../../list-ledger.ts";
import type { RunSiteSpec, RunSpec, RunTrigger, RunWorker } from "../../run-ledger.ts";
import { writeWalk } from "../frontier/walks.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { insertList } from "../lists/new-list.ts";
import type { Tx } from "../operation.ts";
import { addBatch } from "./batches.ts";
import { findStopBelow } from "./high-water.ts";
import { applyLastingStop } from "./lasting-stops.ts";
import { clearLeftovers } from "./leftovers.ts";
import { findRun } from "./run-rows.ts";

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
export function insertRun(tx: Tx, spec: RunSpec, { trigger, process, aliveUntil, key, list }: RunProcess): number {
  const { runId, kind, startedAt, maxPages, maxSpend, deadlineAt, order } = spec;
  const id = tx.insert`INSERT INTO run (name, kind, state, started_at, max_pages, max_spend_micros, max_spend_currency, deadline_at, purchases_after,
       started_by, process, alive_until, key, run_order)
     VALUES (${runId}, ${kind}, 'running', ${startedAt}, ${maxPages}, ${maxSpend?.micros ?? null}, ${maxSpend?.currency ?? null},
     ${deadlineAt}, (SELECT coalesce(max(id), 0) FROM purchase), ${trigger}, ${process}, ${aliveUntil}, ${key}, ${order})`;
  if (list !== null) {
    insertList(tx, id, list);
  }
  const isWalked = KINDS[kind].pagesFrom === "catalogs";
  for (const [position, site] of spec.sites.entries()) {
    const siteId = addSite(tx, id, spec, site, { position, isWalked: list === null && isWalked });
    applyLastingStop(tx, { runRowId: id, siteId, now: startedAt });
  }
  return id;
}

/** @returns the site's id */
function addSite(
  tx: Tx,
  runRowId: number,
  { startedAt }: RunSpec,
  site: RunSiteSpec,
  { position, isWalked }: { readonly position: number; readonly isWalked: boolean },
): number {
  const siteId = tx.lookups.siteId(site.host);
  tx.run`INSERT INTO run_site (run_id, site_id, position, max_pages, full_walk_every_ms, overlap_ms)
    VALUES (${runRowId}, ${siteId}, ${position}, ${site.maxPages}, ${site.fullWalkEveryMs}, ${site.overlapMs})`;
  if (isWalked) {
    writeWalk(tx, runRowId, siteId, createWalkState(findStopBelow(tx, siteId, site, startedAt)), null);
    addBatch(tx, { runRowId, siteId, stage: "walk", size: 0 });
  } else {
    // Not complete: the site's marks stay where its last walk left them.
    writeWalk(tx, runRowId, siteId, { ...createWalkState(null), ended: "cut" }, null);
  }
  return siteId;
}

/** Writes: run, run_site, site, batch, in one transaction, after what a crash left behind was cleared away. Idempotent by `runId`. */
export async function createRun(
  core: LedgerCore,
  spec: RunSpec,
  worker?: RunWorker,
  list: NewList | null = null,
): Promise<void> {
  await clearLeftovers(core, worker ?? { now: spec.startedAt, aliveMs: Number.MAX_SAFE_INTEGER, gone: [] });
  await core.write((tx) => {
    if (findRun(tx, spec.runId) === null) {
      const process = worker?.process ?? null;
      const aliveUntil = worker === undefined ? null : worker.now + worker.aliveMs;
      insertRun(tx, spec, { trigger: "manual", process, aliveUntil, key: null, list });
    }
  });
}
