import { latestWaitEnd } from "../../../time/wait-end.ts";
import { BATCH_STAGES, type BatchStage, type Lease, type LeaseRequest, type RunProgress } from "../../lease-ledger.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";
import { parseLeaseId, toLeaseId } from "./batches.ts";
import { IS_OWN } from "./own-run.ts";

/** No lease of a batch lasts longer without being renewed, and no batch waits longer before it is tried again. */
const LONGEST_WAIT_MS = 600_000;

/** Nearest to settlement first. */
const NEAREST_FIRST = ["acquire", "quote", "walk"] as const satisfies readonly BatchStage[];

/** How many batches of each stage may still be leased. */
type Room = Record<BatchStage, number>;

/**
 * Reads and writes: batch, run.last_site_id. Sites take turns: each gives one batch a round, beginning behind the site served
 * last. A second call leases other batches: a lease that was lost expires. Cost: the batches of stages with room that are leased or backing off
 * now, and those leased here; never the work done, nor what waits for a stage without room.
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
  const room = toRoom(request);
  let lastSiteId = run.lastSiteId;
  const lease = (siteId: number, batch: Picked | null): boolean => {
    if (batch === null || room[batch.stage] <= 0 || leases.length >= request.limit) {
      return false;
    }
    leases.push(leaseBatch(tx, siteId, batch, request));
    room[batch.stage] -= 1;
    lastSiteId = siteId;
    return true;
  };
  let active: Iterable<number> = listSites(tx, run, room, request);
  for (let served = -1; leases.length > served && leases.length < request.limit; ) {
    served = leases.length;
    const again: number[] = [];
    for (const siteId of active) {
      if (lease(siteId, pick(tx, run.id, siteId, request, room))) {
        again.push(siteId);
      }
      if (leases.length >= request.limit) {
        break;
      }
    }
    active = again;
  }
  if (leases.length === 0 && room.quote > 0 && mayTakeFilling(tx, run.id, request.now)) {
    for (const { siteId, id } of listFilling(tx, run.id, request)) {
      if (lease(siteId, { stage: "quote", id })) {
        tx.run`UPDATE run_site SET filling_batch_id = NULL WHERE run_id = ${run.id} AND site_id = ${siteId}`;
      }
    }
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

function toRoom({ limit, stages }: LeaseRequest): Room {
  const roomOf = (stage: BatchStage) => (stages === undefined ? limit : (stages[stage] ?? 0));
  return { walk: roomOf("walk"), quote: roomOf("quote"), acquire: roomOf("acquire") };
}

/** SQL: whether a batch is the walk of a site of which enough pages wait. One statement passes over all those sites. */
const IS_PAUSED = `stage = 'walk' AND EXISTS (SELECT 1 FROM run_site s WHERE s.run_id = batch.run_id AND s.site_id = batch.site_id
  AND s.waiting_pages >= @maxWaitingPages)`;

const NEXT_SITE = `SELECT site_id FROM batch INDEXED BY batch_by_stage
  WHERE run_id = @runRowId AND stage = @stage AND site_id > @behind AND site_id <= @to AND ready_at <= @now AND NOT (${IS_PAUSED})
  ORDER BY site_id LIMIT 1`;

/** The sites with a batch that may be leased in a stage that still has room, once round, from behind the site served last. */
function* listSites(
  tx: ReadTx,
  run: { readonly id: number; readonly lastSiteId: number },
  room: Readonly<Room>,
  { now, maxWaitingPages }: LeaseRequest,
): Iterable<number> {
  for (const [from, to] of [
    [run.lastSiteId, Number.MAX_SAFE_INTEGER],
    [0, run.lastSiteId],
  ] as const) {
    const next = new Map<BatchStage, number>(NEAREST_FIRST.map((stage) => [stage, from]));
    for (let behind = from; ; ) {
      for (const [stage, siteId] of next) {
        const found =
          siteId > behind
            ? siteId
            : room[stage] > 0
              ? tx.value<number>(NEXT_SITE, { runRowId: run.id, stage, behind, to, now, maxWaitingPages })
              : undefined;
        if (found === undefined) {
          next.delete(stage);
        } else {
          next.set(stage, found);
        }
      }
      if (next.size === 0) {
        break;
      }
      behind = Math.min(...next.values());
      yield behind;
    }
  }
}

const SELECT_READY = `SELECT id FROM batch
  WHERE run_id = @runRowId AND stage = @stage AND site_id = @siteId AND ready_at <= @now AND NOT (${IS_PAUSED}) ORDER BY ready_at, id LIMIT 1`;

interface Picked {
  readonly stage: BatchStage;
  readonly id: number;
}

/** The site's batch nearest to settlement; null when it has none that may be leased. */
function pick(
  tx: ReadTx,
  runRowId: number,
  siteId: number,
  request: LeaseRequest,
  room: Readonly<Room>,
): Picked | null {
  const { now, maxWaitingPages } = request;
  for (const stage of NEAREST_FIRST) {
    const asked = { runRowId, siteId, stage, now, maxWaitingPages };
    const id = room[stage] > 0 ? tx.value<number>(SELECT_READY, asked) : undefined;
    if (id !== undefined && MAY[stage](tx, runRowId, siteId, request)) {
      return { stage, id };
    }
  }
  return null;
}

/** Whether a batch of the site that is ready may be leased beside those that are. */
const MAY: Readonly<
  Record<BatchStage, (tx: ReadTx, runRowId: number, siteId: number, request: LeaseRequest) => boolean>
> = {
  // One batch at a time, until the site has shown that it charges and delivers what was ordered.
  acquire: (tx, runRowId, siteId, { now }) =>
    countLeased(tx, runRowId, siteId, "acquire", now) === 0 || isProven(tx, runRowId, siteId),
  quote: (tx, runRowId, siteId, { now, quotesPerSite = Number.POSITIVE_INFINITY }) =>
    countLeased(tx, runRowId, siteId, "quote", now) < quotesPerSite,
  // A site has one.
  walk: () => true,
};

function countLeased(tx: ReadTx, runRowId: number, siteId: number, stage: BatchStage, now: number): number {
  return tx.value<number>`SELECT count(*) FROM batch WHERE run_id = ${runRowId} AND site_id = ${siteId} AND stage = ${stage} AND ready_at > ${now}
    AND state = 'leased'` as number;
}

/**
 * Whether a quote batch that is not full is taken when nothing else can be: in a run that walks no catalog, where nobody knows when the next page
 * comes, or when nothing of the run is under way, so that a walk that waits holds nothing up.
 */
function mayTakeFilling(tx: ReadTx, runRowId: number, now: number): boolean {
  return (
    !tx.has`SELECT 1 FROM batch WHERE run_id = ${runRowId} AND stage = 'walk'` ||
    !tx.has`SELECT 1 FROM batch WHERE run_id = ${runRowId} AND ready_at > ${now} AND state = 'leased'`
  );
}

/** Those of sites whose walk has no page to add now. */
function listFilling(tx: ReadTx, runRowId: number, request: LeaseRequest): { siteId: number; id: number }[] {
  const { now, maxWaitingPages } = request;
  return tx
    .all<{ siteId: number; id: number }>(SELECT_FILLING, { runRowId, now, maxWaitingPages })
    .filter(({ siteId }) => MAY.quote(tx, runRowId, siteId, request));
}

const SELECT_FILLING = `SELECT b.site_id AS siteId, b.id FROM batch b JOIN run_site s ON s.run_id = b.run_id AND s.site_id = b.site_id
  WHERE b.run_id = @runRowId AND b.stage = 'quote' AND b.ready_at IS NULL AND (s.waiting_pages >= @maxWaitingPages OR NOT EXISTS (
    SELECT 1 FROM batch w WHERE w.run_id = b.run_id AND w.site_id = b.site_id AND w.stage = 'walk' AND w.ready_at <= @now))`;

function leaseBatch(tx: Tx, siteId: number, { stage, id }: Picked, { now, leaseMs }: LeaseRequest): Lease {
  tx.run`UPDATE batch SET state = 'leased', fence = fence + 1, ready_at = ${now + leaseMs} WHERE id = ${id}`;
  const attempt = tx.value<number>`SELECT fence FROM batch WHERE id = ${id}` as number;
  return { leaseId: toLeaseId(id, attempt), stage, host: tx.hosts.hostOf(siteId) };
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
