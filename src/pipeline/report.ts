/**
 * Stage 6: the outbox of uses (gateway-spec § Endpoints 3, design § Reporting). One flusher at a time, by a lease with a fencing
 * number. What is sent was frozen before, and stays the same bytes until an answer settles it (promise 5).
 */
import type { ReportAnswer } from "../gateway/gateway.ts";
import type { EntryReceipt, FlushLease, FrozenBatch } from "../ledger/usage-ledger.ts";
import { backoffMs } from "../time/backoff.ts";
import { reconcileReceipts } from "../usage/reconcile.ts";
import { keepFlusherLease } from "./keep-lease.ts";
import { isMisdirected, leavesOpen } from "./refused-report.ts";
import type { StageDeps } from "./stage-deps.ts";

type ReportDeps = Pick<
  StageDeps,
  "gateway" | "ledger" | "clock" | "ids" | "random" | "events" | "limits" | "licenseIdField"
>;

export interface FlushOptions {
  /** Wait for postponed batches and send them again, this often each; 0: leave them to a later flush. */
  readonly patience: number;
  /** Freeze a batch only when this many entries wait; 1: everything. */
  readonly minUses: number;
}

/** What one flush did. */
export interface Flushed {
  readonly batches: number;
  readonly uses: number;
  readonly rejectedEntries: number;
  /** Why it ended before the outbox was empty; null when it is. */
  readonly stopped: string | null;
  /** The gateway does not accept this account's reports (401, 403): another flush will not help. */
  readonly refused: boolean;
}

/** Why a flush stopped that has nothing to say: whoever has the flusher's lease does its work. */
export const REPORTED_ELSEWHERE = "another process is reporting";

const BUSY: Flushed = {
  batches: 0,
  uses: 0,
  rejectedEntries: 0,
  stopped: REPORTED_ELSEWHERE,
  refused: false,
};

const UNANSWERED = "the gateway gave no usable answer to some reports; they are kept and sent again later";

/** How often a patient flush looks whether the flusher's lease is free. */
const LEASE_POLL_MS = 500;

/** Sends what waits. Safe to call at any time and from several processes: the others find the flusher's lease taken. */
export async function flushUsage(deps: ReportDeps, options: FlushOptions, signal: AbortSignal): Promise<Flushed> {
  const lease = await takeLease(deps, options, signal);
  if (lease === null) {
    return BUSY;
  }
  const tally: Tally = {
    batches: 0,
    uses: 0,
    rejectedEntries: 0,
    refused: false,
    sentThisFlush: new Map(),
    tooLarge: new Map(),
  };
  const kept = keepFlusherLease(deps, lease.fence, signal);
  try {
    const stopped = await flushUnderLease(deps, lease.fence, options, tally, signal);
    const { batches, uses, rejectedEntries, refused } = tally;
    return { batches, uses, rejectedEntries, stopped, refused };
  } finally {
    kept.stop();
    await deps.ledger.releaseFlusher(lease.fence);
  }
}

/**
 * The flusher's lease. A patient flush outwaits the lease of a process that was killed while it was reporting; one that
 * is alive keeps renewing it, and does the work.
 */
async function takeLease(
  deps: ReportDeps,
  { patience }: FlushOptions,
  signal: AbortSignal,
): Promise<FlushLease | null> {
  const { flushLeaseMs } = deps.limits;
  const polls = patience === 0 ? 0 : Math.ceil(flushLeaseMs / LEASE_POLL_MS) + 1;
  for (let poll = 0; ; poll++) {
    const lease = await deps.ledger.leaseFlusher({ now: deps.clock.now(), leaseMs: flushLeaseMs });
    if (lease !== null || poll >= polls || signal.aborted) {
      return lease;
    }
    await deps.clock.sleep(LEASE_POLL_MS, signal);
  }
}

interface Tally {
  batches: number;
  uses: number;
  rejectedEntries: number;
  refused: boolean;
  /** Attempts of each unanswered batch in this flush. */
  readonly sentThisFlush: Map<number, number>;
  /** 413s that each batch met in this flush. */
  readonly tooLarge: Map<number, number>;
}

async function flushUnderLease(
  deps: ReportDeps,
  fence: number,
  options: FlushOptions,
  tally: Tally,
  signal: AbortSignal,
): Promise<string | null> {
  for (;;) {
    if (signal.aborted) {
      return "it was interrupted";
    }
    const now = deps.clock.now();
    if (!(await deps.ledger.renewFlusher({ fence, expiresAt: now + deps.limits.flushLeaseMs }))) {
      return REPORTED_ELSEWHERE;
    }
    const batch =
      (await deps.ledger.nextBatch({ fence, now, windowMs: deps.limits.reportWindowMs })) ??
      (await freezeNext(deps, fence, options, now));
    if (batch === null) {
      const waited = await waitForPostponed(deps, options, tally, signal);
      if (waited === "nothing") {
        return null;
      }
      if (waited === "impatient") {
        return UNANSWERED;
      }
      continue;
    }
    // Its rest may be over before this flush had to wait for it: where each answer takes longer than the rest lasts.
    if ((tally.sentThisFlush.get(batch.batchId) ?? 0) >= Math.max(1, options.patience)) {
      return UNANSWERED;
    }
    const stopped = await sendBatch(deps, fence, batch, tally);
    if (stopped !== null) {
      return stopped;
    }
  }
}

async function freezeNext(
  deps: ReportDeps,
  fence: number,
  { minUses }: FlushOptions,
  now: number,
): Promise<FrozenBatch | null> {
  if (minUses > 1 && (await deps.ledger.countPendingUses()).unbatched < minUses) {
    return null;
  }
  return deps.ledger.freezeBatch({
    fence,
    idempotencyId: deps.ids.newIdempotencyId(),
    maxEntries: deps.limits.reportBatchSize,
    licenseIdField: deps.licenseIdField,
    now,
  });
}

/** `waited`: look again. `nothing`: no batch waits for an answer. `impatient`: some do, but not in this flush. */
async function waitForPostponed(
  deps: ReportDeps,
  { patience }: FlushOptions,
  tally: Tally,
  signal: AbortSignal,
): Promise<"waited" | "nothing" | "impatient"> {
  const { nextAttemptAt } = await deps.ledger.countPendingUses();
  if (nextAttemptAt === null) {
    return "nothing";
  }
  const tried = Math.max(0, ...tally.sentThisFlush.values());
  if (tried >= patience) {
    return "impatient";
  }
  await deps.clock.sleep(
    Math.min(Math.max(0, nextAttemptAt - deps.clock.now()), deps.limits.maxReportBackoffMs),
    signal,
  );
  // The wait is over for this flush even if the clock was turned back meanwhile: counting it keeps the flush finite.
  tally.sentThisFlush.set(-1, (tally.sentThisFlush.get(-1) ?? 0) + 1);
  return "waited";
}

/** @returns why reporting must stop, or null */
async function sendBatch(deps: ReportDeps, fence: number, batch: FrozenBatch, tally: Tally): Promise<string | null> {
  if (!(await deps.ledger.recordAttempt({ fence, batchId: batch.batchId, now: deps.clock.now() }))) {
    return REPORTED_ELSEWHERE;
  }
  const answer = await deps.gateway.reportUsage(batch.body);
  switch (answer.kind) {
    case "accepted":
      await settleBatch(deps, batch, answer, tally);
      return null;
    case "rejected":
      if (leavesOpen(batch, answer.status, tally.tooLarge)) {
        await postponeInFlush(deps, fence, batch, { detail: answer.detail, askedMs: 0 }, tally);
        return null;
      }
      return rejectBatch(deps, fence, batch, answer, tally);
    case "unauthorized":
      tally.refused = true;
      await postpone(deps, fence, batch, answer.detail, 0);
      return `the gateway refused the report (${answer.status}): ${answer.detail}; nothing is lost, check the API key and its rights`;
    case "unanswered":
      await postponeInFlush(deps, fence, batch, { detail: answer.detail, askedMs: answer.retryAfterMs ?? 0 }, tally);
      return null;
    default:
      return answer satisfies never;
  }
}

async function postponeInFlush(
  deps: ReportDeps,
  fence: number,
  batch: FrozenBatch,
  { detail, askedMs }: { readonly detail: string; readonly askedMs: number },
  tally: Tally,
): Promise<void> {
  tally.sentThisFlush.set(batch.batchId, (tally.sentThisFlush.get(batch.batchId) ?? 0) + 1);
  await postpone(deps, fence, batch, detail, askedMs);
}

async function postpone(
  deps: ReportDeps,
  fence: number,
  batch: FrozenBatch,
  detail: string,
  askedMs: number,
): Promise<void> {
  const { reportBackoffMs, maxReportBackoffMs } = deps.limits;
  const waitMs = Math.max(askedMs, backoffMs(batch.attempts + 1, reportBackoffMs, maxReportBackoffMs, deps.random));
  await deps.ledger.postponeBatch({ fence, batchId: batch.batchId, notBefore: deps.clock.now() + waitMs, detail });
}

async function settleBatch(
  deps: ReportDeps,
  batch: FrozenBatch,
  answer: Extract<ReportAnswer, { kind: "accepted" }>,
  tally: Tally,
): Promise<void> {
  const matched = reconcileReceipts(batch.entries, answer.receipts);
  const receipts: EntryReceipt[] = batch.entries.map((entry, index) => ({
    entryId: entry.entryId,
    receipt: matched.receipts[index] ?? null,
  }));
  await deps.ledger.settleBatch({
    batchId: batch.batchId,
    receipts,
    surplus: matched.surplus,
    unreadable: answer.unreadable,
    now: deps.clock.now(),
  });
  const uses = batch.entries.reduce((sum, entry) => sum + entry.timesUsed, 0);
  tally.batches++;
  tally.uses += uses;
  deps.events.reported({ entries: batch.entries.length, uses });
  if (matched.surplus.length > 0 || answer.unreadable > 0 || receipts.some(({ receipt }) => receipt === null)) {
    deps.events.warned("the gateway's receipts do not match the report: licet status lists the open items");
  }
}

async function rejectBatch(
  deps: ReportDeps,
  fence: number,
  batch: FrozenBatch,
  { status, detail }: Extract<ReportAnswer, { kind: "rejected" }>,
  tally: Tally,
): Promise<string | null> {
  if (await isMisdirected(deps.ledger, status)) {
    tally.refused = true;
    await postpone(deps, fence, batch, detail, 0);
    return `the gateway answered ${status} to a report: it may not be where reports go; nothing is lost, check gateway.service and gateway.paths.selfReport`;
  }
  const end = await deps.ledger.rejectBatch({
    fence,
    batchId: batch.batchId,
    status,
    detail,
    idempotencyIds: [deps.ids.newIdempotencyId(), deps.ids.newIdempotencyId()],
    licenseIdField: deps.licenseIdField,
    now: deps.clock.now(),
  });
  if (end === "stale") {
    return REPORTED_ELSEWHERE;
  }
  if (end === "isolated") {
    tally.rejectedEntries++;
    deps.events.warned(
      `the gateway does not accept the report of ${batch.entries[0]?.url ?? "a page"} (${status}): ${detail}`,
    );
  }
  return null;
}
