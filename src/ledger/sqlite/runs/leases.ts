import { latestWaitEnd } from "../../../time/wait-end.ts";
import { BATCH_STAGES, type BatchStage, type Lease, type LeaseRequest, type RunProgress } from "../../lease-ledger.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";
import { parseLeaseId, toLeaseId } from "./batches.ts";
import { IS_OWN } from "./own-run.ts";

/** No lease of a batch lasts longer without being renewed, and no batch waits longer before it is tried again. */
const LONGEST_WAIT_MS = 600_000;

/**
 * Reads and writes: batch, run.last_site_id. Sites take turns: each gives one batch a round, beginning behind the site served
 * last. A second call leases other batches: a lease that
 * was lost expires. Cost: the batches leased or backing off now, and those leased here; never the work done.
 */
export function leaseBatches(tx: Tx, request: Asked<"leaseBatches">): Answered<"leaseBatches"> {
  const run = tx.get<{ id: number; lastSiteId: number }>(
    `SELECT id, last_site_id AS lastSiteId FROM run WHERE name = @runId AND state = 'running'
     AND (@process IS NULL OR process IS NULL OR process = @process)`,
    { runId: request.runId, process: request.process ?? null },
  );
  const leases: Lease[] = [];
  if (run === undefined || request.limit <= 0) {
    return leases;
  }
  let lastSiteId = run.lastSiteId;
  let active: Iterable<number> = listSites(tx, run.id, lastSiteId, request.now);
  for (let served = -1; leases.length > served && leases.length < request.limit; ) {
    served = leases.length;
    const again: number[] = [];
    for (const siteId of active) {
      const lease = leaseOne(tx, run.id, siteId, request);
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
  if (leases.length === 0) {
    const latest = latestWaitEnd(request.now, Math.max(LONGEST_WAIT_MS, request.leaseMs));
    tx.run`UPDATE batch SET ready_at = ${request.now} WHERE run_id = ${run.id} AND ready_at > ${latest}`;
  }
  if (lastSiteId !== run.lastSiteId) {
    tx.run`UPDATE run SET last_site_id = ${lastSiteId} WHERE id = ${run.id}`;
  }
  return leases;
}

const NEXT_SITES = `SELECT site_id FROM batch INDEXED BY batch_by_site
  WHERE run_id = ? AND site_id > ? AND site_id <= ? AND (ready_at <= ? OR ready_at IS NULL) ORDER BY site_id LIMIT 1`;

/** The sites with a batch that may be leased, once round, from behind a site. */
function* listSites(tx: ReadTx, runRowId: number, behind: number, now: number): Iterable<number> {
  for (const [from, to] of [
    [behind, Number.MAX_SAFE_INTEGER],
    [0, behind],
  ] as const) {
    let siteId = tx.value<number>(NEXT_SITES, runRowId, from, to, now);
    while (siteId !== undefined) {
      yield siteId;
      siteId = tx.value<number>(NEXT_SITES, runRowId, siteId, to, now);
    }
  }
}

const SELECT_READY =
  "SELECT id FROM batch WHERE run_id = ? AND site_id = ? AND stage = ? AND ready_at <= ? ORDER BY ready_at, id LIMIT 1";

/** Leases the site's batch nearest to settlement; null when it has none that may be leased. */
function leaseOne(tx: Tx, runRowId: number, siteId: number, request: LeaseRequest): Lease | null {
  const picked = pick(tx, runRowId, siteId, request);
  if (picked === null) {
    return null;
  }
  const [stage, id] = picked;
  tx.run`UPDATE batch SET state = 'leased', fence = fence + 1, ready_at = ${request.now + request.leaseMs} WHERE id = ${id}`;
  const attempt = tx.value<number>`SELECT fence FROM batch WHERE id = ${id}` as number;
  return { leaseId: toLeaseId(id, attempt), stage, host: tx.hosts.hostOf(siteId) };
}

/** One batch at a time, until the site has shown that it charges and delivers what was ordered. */
function mayBuy(tx: ReadTx, runRowId: number, siteId: number, now: number) {
  return countLeased(tx, runRowId, siteId, "acquire", now) === 0 || isProven(tx, runRowId, siteId);
}

function countLeased(tx: ReadTx, runRowId: number, siteId: number, stage: BatchStage, now: number): number {
  return tx.value<number>`SELECT count(*) FROM batch WHERE run_id = ${runRowId} AND site_id = ${siteId} AND stage = ${stage} AND ready_at > ${now}
    AND state = 'leased'` as number;
}

function pick(
  tx: Tx,
  runRowId: number,
  siteId: number,
  { now, maxWaitingPages, quotesPerSite = Number.POSITIVE_INFINITY, stages = BATCH_STAGES }: LeaseRequest,
): [BatchStage, number] | null {
  const mayQuote = () => countLeased(tx, runRowId, siteId, "quote", now) < quotesPerSite;
  for (const stage of ["acquire", "quote"] as const) {
    const id = stages.includes(stage) ? tx.value<number>(SELECT_READY, runRowId, siteId, stage, now) : undefined;
    if (id !== undefined && (stage === "quote" ? mayQuote() : mayBuy(tx, runRowId, siteId, now))) {
      return [stage, id];
    }
  }
  if (!stages.includes("walk")) {
    return null;
  }
  const walk = tx.value<number>(SELECT_READY, runRowId, siteId, "walk", now);
  if (
    walk !== undefined &&
    !tx.has`SELECT 1 FROM run_site WHERE run_id = ${runRowId} AND site_id = ${siteId} AND waiting_pages >= ${maxWaitingPages}`
  ) {
    return ["walk", walk];
  }
  // While the walk is under way, more pages will come.
  const filling =
    countLeased(tx, runRowId, siteId, "walk", now) > 0 || !mayQuote()
      ? undefined
      : tx.value<number>`SELECT id FROM batch WHERE run_id = ${runRowId} AND site_id = ${siteId} AND stage = 'quote' AND ready_at IS NULL`;
  if (filling === undefined) {
    return null;
  }
  tx.run`UPDATE run_site SET filling_batch_id = NULL WHERE run_id = ${runRowId} AND site_id = ${siteId}`;
  return ["quote", filling];
}

/** Writes: the end of one batch's lease. False when the lease is stale. */
export function renewLease(tx: Tx, { leaseId, expiresAt }: Asked<"renewLease">): boolean {
  const lease = parseLeaseId(leaseId);
  return (
    lease !== null &&
    tx.changed`UPDATE batch SET ready_at = ${expiresAt} WHERE id = ${lease.batchId} AND fence = ${lease.attempt} AND state = 'leased'`
  );
}

/** Writes: one batch, ready again at `notBefore`. False when the lease is stale, as it is after the first call. */
export function returnBatch(tx: Tx, { leaseId, notBefore }: Asked<"returnBatch">): boolean {
  const lease = parseLeaseId(leaseId);
  return (
    lease !== null &&
    tx.changed`UPDATE batch SET state = 'ready', ready_at = ${notBefore} WHERE id = ${lease.batchId} AND fence = ${lease.attempt}
      AND state = 'leased'`
  );
}

type ProgressRow = Omit<RunProgress, "isRunning"> & { readonly isRunning: number };

/** Reads: the run's state, and its batches, all of which are work still to do. */
export function readProgress(tx: ReadTx, asked: Asked<"readProgress">): RunProgress {
  const { runId, now, stages = BATCH_STAGES, process } = asked;
  const row = tx.get<ProgressRow>(
    `SELECT EXISTS (SELECT 1 FROM run WHERE name = @runId AND state = 'running' AND (@process IS NULL OR ${IS_OWN})) AS isRunning,
       count(*) AS openBatches, coalesce(sum(state = 'leased' AND ready_at > @now), 0) AS leasedBatches,
       min(CASE WHEN ready_at > @now THEN ready_at END) AS nextReadyAt
     FROM batch WHERE run_id = (SELECT id FROM run WHERE name = @runId) AND instr(@stages, stage) > 0`,
    { runId, now, stages: stages.join(" "), process: process ?? null },
  ) as ProgressRow;
  return { ...row, isRunning: row.isRunning === 1 };
}

/** Whether a page of a site was settled in a run with content in it: until then only a few of its pages are under way. */
export function isProven(tx: ReadTx, runRowId: number, siteId: number): boolean {
  const proven = tx.value<number>`SELECT coalesce(sum(iif(kind = 'settled', count, -count)), 0) > 0 FROM tally
    WHERE run_id = ${runRowId} AND site_id = ${siteId} AND kind IN ('settled', 'empty')`;
  return proven === 1;
}
