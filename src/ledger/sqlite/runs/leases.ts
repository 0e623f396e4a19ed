import { BATCH_STAGES, type BatchStage, type Lease, type LeaseRequest, type RunProgress } from "../../lease-ledger.ts";
import type { Ledger } from "../../ledger.ts";
import type { Connection } from "../engine/connection.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { parseLeaseId, toLeaseId } from "./batches.ts";

/**
 * Reads and writes: batch, run.last_site_id. Sites take turns: each gives one batch a round, beginning behind the site served
 * last. Cost: the batches leased or backing off now, and those leased here; never the work done.
 */
export function createLeaseBatches(parts: LedgerParts): Ledger["leaseBatches"] {
  const selectRun = parts.db.prepare<{ runId: string; process: string | null }, { id: number; lastSiteId: number }>(
    `SELECT id, last_site_id AS lastSiteId FROM run WHERE name = @runId AND state = 'running'
     AND (@process IS NULL OR process IS NULL OR process = @process)`,
  );
  const setLastSite = parts.db.prepare<[number, number]>("UPDATE run SET last_site_id = ? WHERE id = ?");
  const listSites = createSiteLister(parts.db);
  const leaseOne = createLeaseOne(parts);

  return (request) =>
    parts.write(() => {
      const run = selectRun.get({ runId: request.runId, process: request.process ?? null });
      const leases: Lease[] = [];
      if (run === undefined || request.limit <= 0) {
        return leases;
      }
      let lastSiteId = run.lastSiteId;
      let active: Iterable<number> = listSites(run.id, lastSiteId, request.now);
      for (let served = -1; leases.length > served && leases.length < request.limit; ) {
        served = leases.length;
        const again: number[] = [];
        for (const siteId of active) {
          const lease = leaseOne(run.id, siteId, request);
          if (lease !== null) {
            leases.push(lease);
            again.push(siteId);
            lastSiteId = siteId;
          }
          if (leases.length >= request.limit) {
            break;
          }
        }
        active = again;
      }
      if (lastSiteId !== run.lastSiteId) {
        setLastSite.run(lastSiteId, run.id);
      }
      return leases;
    });
}

/** The sites with a batch that may be leased, once round, from behind a site. */
function createSiteLister(db: Connection): (runRowId: number, behind: number, now: number) => Iterable<number> {
  const next = db
    .prepare<[number, number, number, number], number>(
      `SELECT site_id FROM batch INDEXED BY batch_by_site
       WHERE run_id = ? AND site_id > ? AND site_id <= ? AND (ready_at <= ? OR ready_at IS NULL) ORDER BY site_id LIMIT 1`,
    )
    .pluck();
  return function* listSites(runRowId, behind, now) {
    for (const [from, to] of [
      [behind, Number.MAX_SAFE_INTEGER],
      [0, behind],
    ] as const) {
      let siteId = next.get(runRowId, from, to, now);
      while (siteId !== undefined) {
        yield siteId;
        siteId = next.get(runRowId, siteId, to, now);
      }
    }
  };
}

/** Leases the site's batch nearest to settlement; null when it has none that may be leased. */
function createLeaseOne(parts: LedgerParts): (runRowId: number, siteId: number, request: LeaseRequest) => Lease | null {
  const { db, isProven } = parts;
  const selectReady = db
    .prepare<[number, number, BatchStage, number], number>(
      "SELECT id FROM batch WHERE run_id = ? AND site_id = ? AND stage = ? AND ready_at <= ? ORDER BY ready_at, id LIMIT 1",
    )
    .pluck();
  const isFull = db
    .prepare<[number, number, number], number>(
      "SELECT 1 FROM run_site WHERE run_id = ? AND site_id = ? AND waiting_pages >= ?",
    )
    .pluck();
  const isWalking = db
    .prepare<[number, number, number], number>(
      "SELECT 1 FROM batch WHERE run_id = ? AND site_id = ? AND stage = 'walk' AND ready_at > ? AND state = 'leased'",
    )
    .pluck();
  const selectFilling = db
    .prepare<[number, number], number>(
      "SELECT id FROM batch WHERE run_id = ? AND site_id = ? AND stage = 'quote' AND ready_at IS NULL",
    )
    .pluck();
  const stopFilling = db.prepare<[number, number]>(
    "UPDATE run_site SET filling_batch_id = NULL WHERE run_id = ? AND site_id = ?",
  );
  const lease = db
    .prepare<[number, number], number>(
      "UPDATE batch SET state = 'leased', fence = fence + 1, ready_at = ? WHERE id = ? RETURNING fence",
    )
    .pluck();

  const isBuying = db
    .prepare<[number, number, number], number>(
      "SELECT 1 FROM batch WHERE run_id = ? AND site_id = ? AND stage = 'acquire' AND ready_at > ? AND state = 'leased' LIMIT 1",
    )
    .pluck();
  /** One batch at a time, until the site has shown that it charges and delivers what was ordered. */
  const mayBuy = (runRowId: number, siteId: number, now: number) =>
    isBuying.get(runRowId, siteId, now) === undefined || isProven(runRowId, siteId);

  function pick(
    runRowId: number,
    siteId: number,
    { now, maxWaitingPages, stages = BATCH_STAGES }: LeaseRequest,
  ): [BatchStage, number] | null {
    for (const stage of ["acquire", "quote"] as const) {
      const id = stages.includes(stage) ? selectReady.get(runRowId, siteId, stage, now) : undefined;
      if (id !== undefined && (stage === "quote" || mayBuy(runRowId, siteId, now))) {
        return [stage, id];
      }
    }
    if (!stages.includes("walk")) {
      return null;
    }
    const walk = selectReady.get(runRowId, siteId, "walk", now);
    if (walk !== undefined && isFull.get(runRowId, siteId, maxWaitingPages) === undefined) {
      return ["walk", walk];
    }
    // While the walk is under way, more pages will come.
    const filling =
      isWalking.get(runRowId, siteId, now) === undefined ? selectFilling.get(runRowId, siteId) : undefined;
    if (filling === undefined) {
      return null;
    }
    stopFilling.run(runRowId, siteId);
    return ["quote", filling];
  }

  return (runRowId, siteId, request) => {
    const picked = pick(runRowId, siteId, request);
    if (picked === null) {
      return null;
    }
    const [stage, id] = picked;
    const attempt = lease.get(request.now + request.leaseMs, id) as number;
    return { leaseId: toLeaseId(id, attempt), stage, host: parts.hosts.hostOf(siteId) };
  };
}

/** Writes: the end of one batch's lease. False when the lease is stale. */
export function createRenewLease(core: LedgerCore): Ledger["renewLease"] {
  const update = core.db.prepare<[number, number, number]>(
    "UPDATE batch SET ready_at = ? WHERE id = ? AND fence = ? AND state = 'leased'",
  );
  return ({ leaseId, expiresAt }) =>
    core.write(() => {
      const lease = parseLeaseId(leaseId);
      return lease !== null && update.run(expiresAt, lease.batchId, lease.attempt).changes === 1;
    });
}

/** Writes: one batch, ready again at `notBefore`. False when the lease is stale, as it is after the first call. */
export function createReturnBatch(core: LedgerCore): Ledger["returnBatch"] {
  const update = core.db.prepare<[number, number, number]>(
    "UPDATE batch SET state = 'ready', ready_at = ? WHERE id = ? AND fence = ? AND state = 'leased'",
  );
  return ({ leaseId, notBefore }) =>
    core.write(() => {
      const lease = parseLeaseId(leaseId);
      return lease !== null && update.run(notBefore, lease.batchId, lease.attempt).changes === 1;
    });
}

type ProgressRow = Omit<RunProgress, "isRunning"> & { readonly isRunning: number };
type ProgressQuery = {
  readonly runId: string;
  readonly now: number;
  readonly stages: string;
  readonly process: string | null;
};

/** Reads: the run's state, and its batches, all of which are work still to do. */
export function createReadProgress(core: LedgerCore): Ledger["readProgress"] {
  const select = core.db.prepare<ProgressQuery, ProgressRow>(
    `SELECT EXISTS (SELECT 1 FROM run WHERE name = @runId AND state = 'running' AND (@process IS NULL OR process IS NULL OR process = @process)) AS isRunning,
       count(*) AS openBatches, coalesce(sum(state = 'leased' AND ready_at > @now), 0) AS leasedBatches,
       min(CASE WHEN ready_at > @now THEN ready_at END) AS nextReadyAt
     FROM batch WHERE run_id = (SELECT id FROM run WHERE name = @runId) AND instr(@stages, stage) > 0`,
  );
  return ({ runId, now, stages = BATCH_STAGES, process = null }) =>
    core.read(() => {
      const row = select.get({ runId, now, stages: stages.join(" "), process }) as ProgressRow;
      return { ...row, isRunning: row.isRunning === 1 };
    });
}
