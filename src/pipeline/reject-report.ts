/**
 * A definite no to a report: halved until the bad entry stands alone, and rejected there. But where the first single entries are all
 * refused and nothing is taken, it is a setting that is wrong and not the uses (design § Reporting): then all of them are kept.
 */
import type { FrozenReport } from "../ledger/usage-ledger.ts";
import { type Flush, postpone, REPORTED_ELSEWHERE, type Refusal } from "./flush.ts";
import { describeAllRefused } from "./refused-report.ts";

/** Entries that are refused alone before anything is taken: as many say that a setting is wrong, and not the uses. */
const MAX_FIRST_REFUSALS = 3;

/** @returns why reporting must stop, or null */
export async function rejectReport(flush: Flush, frozen: FrozenReport, refusal: Refusal): Promise<string | null> {
  const { deps, fence, tally, suspects } = flush;
  if (frozen.entries.length === 1 && tally.batches === 0) {
    suspects.set(frozen.reportId, { frozen, refusal });
    flush.hasJustIsolated = true;
    await postpone(flush, frozen, { detail: refusal.detail, askedMs: 0, unknownAttempts: 0 });
    if (suspects.size < MAX_FIRST_REFUSALS) {
      return null;
    }
    // For the flush after the mend they wait no longer.
    for (const { reportId } of [...suspects.values()].map((suspect) => suspect.frozen)) {
      const { detail } = refusal;
      await deps.ledger.postponeReport({ fence, reportId, notBefore: deps.clock.now(), detail, unknownAttempts: 0 });
    }
    tally.refused = true;
    tally.allRefused = true;
    return describeAllRefused(suspects.size, refusal);
  }
  return (await reject(flush, frozen, refusal)) === "stale" ? REPORTED_ELSEWHERE : null;
}

/** Halves the report, or records its single entry as rejected. */
async function reject(flush: Flush, frozen: FrozenReport, { status, detail }: Refusal) {
  const { deps, fence, tally } = flush;
  const end = await deps.ledger.rejectReport({
    fence,
    reportId: frozen.reportId,
    status,
    detail,
    idempotencyIds: [deps.ids.newIdempotencyId(), deps.ids.newIdempotencyId()],
    licenseIdField: deps.licenseIdField,
    reportPermissions: deps.reportPermissions,
    now: deps.clock.now(),
  });
  if (end === "open") {
    await postpone(flush, frozen, { detail, askedMs: 0, unknownAttempts: frozen.unknownAttempts + 1 });
  }
  if (end === "isolated") {
    tally.rejectedEntries++;
    const url = frozen.entries[0]?.url ?? "a page";
    deps.events.warned(`the gateway does not accept the report of ${url} (${status}): ${detail}`);
  }
  return end;
}

/** Something was taken, or nothing else is left: then it is these entries that the gateway does not want. */
export async function rejectSuspects(flush: Flush): Promise<void> {
  for (const { frozen, refusal } of flush.suspects.values()) {
    await reject(flush, frozen, refusal);
  }
  flush.suspects.clear();
}
