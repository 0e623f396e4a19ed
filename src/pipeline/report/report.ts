/**
 * Stage 6: sends the outbox of uses. A lease with a fencing number allows one
 * flusher at a time. A report is frozen before it is sent, and its bytes stay the same until an answer settles it (promise 5).
 */

import type { ReportAnswer } from "../../gateway/gateway.ts";
import type { EntryReceipt, FlushLease, FrozenReport } from "../../ledger/usage-ledger.ts";
import { reconcileReceipts } from "../../usage/reconcile.ts";
import type { WorkerDeps } from "../stage-deps.ts";
import { keepFlusherLease } from "../work/keep-lease.ts";
import {
  addCharged,
  type Flush,
  type Flushed,
  type FlushOptions,
  postpone,
  REPORTED_ELSEWHERE,
  type ReportDeps,
} from "./flush.ts";
import { classifyRefusal, describeMisplaced } from "./refused-report.ts";
import { rejectReport, rejectSuspects } from "./reject-report.ts";

/** How often a flush that waits checks whether the flusher's lease is free, ms. */
const LEASE_POLL_MS = 500;

const BUSY: Flushed = {
  batches: 0,
  uses: 0,
  rejectedEntries: 0,
  charged: {},
  stopped: REPORTED_ELSEWHERE,
  refused: false,
  allRefused: false,
};

/**
 * Two checks of one flush are never further apart than this. A longer step means that the clock was changed, and no report is
 * given up for that.
 */
const MAX_STEP_MS = 3_600_000;

const UNANSWERED = "the gateway gave no usable answer to some reports; they are kept and sent again later";

/** Sends what waits. It may be called at any time and from several processes: only the process with the flusher's lease sends. */
export async function flushUsage(deps: ReportDeps, options: FlushOptions, signal: AbortSignal): Promise<Flushed> {
  const lease = await takeFlusher(deps, options.attempts, signal);
  if (lease === null) {
    return BUSY;
  }
  const flush: Flush = {
    deps,
    fence: lease.fence,
    options,
    counters: { batches: 0, uses: 0, rejectedEntries: 0, charged: {}, refused: false, allRefused: false },
    sent: new Map(),
    suspects: new Map(),
    misplaced: null,
    hasJustIsolated: false,
  };
  const kept = keepFlusherLease(deps, lease.fence, signal);
  try {
    const stopped = await flushUnderLease(flush, signal);
    return { ...flush.counters, stopped };
  } finally {
    kept.stop();
    await deps.ledger.releaseFlusher(lease.fence);
  }
}

async function flushUnderLease(flush: Flush, signal: AbortSignal): Promise<string | null> {
  const { deps, fence, options, counters, sent } = flush;
  let seenAt = deps.clock.now();
  let jumpedMs = 0;
  for (;;) {
    if (signal.aborted) {
      return "it was interrupted";
    }
    const now = deps.clock.now();
    jumpedMs += Math.max(0, now - seenAt - MAX_STEP_MS);
    seenAt = now;
    if (!(await deps.ledger.renewFlusher({ fence, expiresAt: now + deps.limits.flushLeaseMs }))) {
      return REPORTED_ELSEWHERE;
    }
    const frozen = await nextReport(flush, now, jumpedMs);
    if (frozen === null) {
      if (flush.suspects.size > 0) {
        await rejectSuspects(flush);
        continue;
      }
      if (flush.misplaced !== null && counters.batches === 0) {
        counters.refused = true;
        return flush.misplaced;
      }
      const waited = await waitForPostponed(flush, signal);
      if (waited === "nothing") {
        return null;
      }
      if (waited === "later") {
        return UNANSWERED;
      }
      continue;
    }
    // The report's pause may be over before this flush had to wait for it, when each answer takes longer than the pause.
    if ((sent.get(frozen.reportId) ?? 0) >= Math.max(1, options.attempts)) {
      return flush.misplaced ?? UNANSWERED;
    }
    const stopped = await sendReport(flush, frozen);
    if (stopped !== null) {
      return stopped;
    }
  }
}

/**
 * After a single entry was refused, the next report comes from elsewhere, because neighbouring entries often have the same flaw.
 */
async function nextReport(flush: Flush, now: number, jumpedMs: number): Promise<FrozenReport | null> {
  const { deps, fence, options, suspects } = flush;
  for (;;) {
    const frozen = await deps.ledger.nextReport({
      fence,
      now,
      windowMs: deps.limits.reportWindowMs + jumpedMs,
      order: flush.hasJustIsolated ? "oldest" : "newest_half",
    });
    if (frozen === null) {
      return freezeNext(deps, fence, options, now);
    }
    if (!suspects.has(frozen.reportId)) {
      flush.hasJustIsolated = false;
      return frozen;
    }
    await postpone(flush, frozen, { detail: "refused alone", askedMs: 0, unknownAttempts: 0 });
  }
}

async function freezeNext(
  deps: ReportDeps,
  fence: number,
  { minUses }: FlushOptions,
  now: number,
): Promise<FrozenReport | null> {
  if (minUses > 1 && (await deps.ledger.countPendingUses()).unbatched < minUses) {
    return null;
  }
  return deps.ledger.freezeReport({
    fence,
    idempotencyId: deps.ids.newIdempotencyId(),
    maxEntries: deps.limits.reportBatchSize,
    licenseIdField: deps.licenseIdField,
    reportPermissions: deps.reportPermissions,
    now,
  });
}

/** `waited`: check again. `nothing`: no report waits for an answer. `later`: reports wait, but not in this flush. */
async function waitForPostponed(
  { deps, options, sent }: Flush,
  signal: AbortSignal,
): Promise<"waited" | "nothing" | "later"> {
  const { nextAttemptAt } = await deps.ledger.countPendingUses();
  if (nextAttemptAt === null) {
    return "nothing";
  }
  const tried = Math.max(0, ...sent.values());
  if (tried >= options.attempts) {
    return "later";
  }
  await deps.clock.sleep(
    Math.min(Math.max(0, nextAttemptAt - deps.clock.now()), deps.limits.maxReportBackoffMs),
    signal,
  );
  // This flush waits no more, even if the clock was set back meanwhile. The count keeps the flush finite.
  sent.set(-1, (sent.get(-1) ?? 0) + 1);
  return "waited";
}

/** @returns why reporting must stop, or null */
async function sendReport(flush: Flush, frozen: FrozenReport): Promise<string | null> {
  const { deps, fence, counters, sent } = flush;
  if (!(await deps.ledger.recordAttempt({ fence, reportId: frozen.reportId, now: deps.clock.now() }))) {
    return REPORTED_ELSEWHERE;
  }
  const answer = await deps.gateway.reportUsage(frozen.body);
  if (answer.kind === "accepted") {
    await settleReport(flush, frozen, answer);
    return null;
  }
  const meaning = await classifyRefusal(deps.ledger, frozen, answer);
  if (meaning === "rejected" && answer.kind === "rejected") {
    return rejectReport(flush, frozen, answer);
  }
  const before = frozen.unknownAttempts;
  const unknownAttempts = meaning === "open" ? before + 1 : before;
  const askedMs = answer.kind === "unanswered" ? (answer.retryAfterMs ?? 0) : 0;
  await postpone(flush, frozen, { detail: answer.detail, askedMs, unknownAttempts });
  if (meaning === "misplaced" && answer.kind !== "unanswered" && counters.batches === 0) {
    if (before === 0) {
      counters.refused = true;
      return describeMisplaced(answer);
    }
    // The gateway may give this answer to an id that it knows. A report that was never sent will show that.
    flush.misplaced = describeMisplaced(answer);
  }
  sent.set(frozen.reportId, (sent.get(frozen.reportId) ?? 0) + 1);
  return null;
}

async function settleReport(
  flush: Flush,
  frozen: FrozenReport,
  answer: Extract<ReportAnswer, { kind: "accepted" }>,
): Promise<void> {
  const { deps, counters } = flush;
  const matched = reconcileReceipts(frozen.entries, answer.receipts);
  const receipts: EntryReceipt[] = frozen.entries.map((entry, index) => ({
    entryId: entry.entryId,
    receipt: matched.receipts[index] ?? null,
  }));
  const settled = await deps.ledger.settleReport({
    reportId: frozen.reportId,
    receipts,
    surplus: matched.surplus,
    unreadable: answer.unreadable,
    now: deps.clock.now(),
  });
  const uses = frozen.entries.reduce((sum, entry) => sum + entry.timesUsed, 0);
  counters.batches++;
  counters.uses += uses;
  const charged = settled?.charged ?? {};
  counters.charged = addCharged(counters.charged, charged);
  deps.events.reported({ entries: frozen.entries.length, uses, charged });
  if (matched.surplus.length > 0 || answer.unreadable > 0 || receipts.some(({ receipt }) => receipt === null)) {
    deps.events.warned("the gateway's receipts do not match the report: licet status lists the open items");
  }
  await rejectSuspects(flush);
}

/**
 * Takes the flusher's lease. A flush that waits does so until the lease of a killed process expires, too. A live process keeps renewing
 * its lease and does the work itself.
 */
async function takeFlusher(
  deps: Pick<WorkerDeps, "ledger" | "clock" | "limits">,
  attempts: number,
  signal: AbortSignal,
): Promise<FlushLease | null> {
  const { flushLeaseMs } = deps.limits;
  const polls = attempts === 0 ? 0 : Math.ceil(flushLeaseMs / LEASE_POLL_MS) + 1;
  for (let poll = 0; ; poll++) {
    const lease = await deps.ledger.leaseFlusher({ now: deps.clock.now(), leaseMs: flushLeaseMs });
    if (lease !== null || poll >= polls || signal.aborted) {
      return lease;
    }
    await deps.clock.sleep(LEASE_POLL_MS, signal);
  }
}
