/**
 * Handles a definite refusal of a report. The report is halved until the bad entry is alone, and that entry is rejected. There is
 * one exception: when the first single entries are all refused, of several pages, and none was accepted, a setting is probably
 * wrong and not the uses. Then all entries are kept.
 */
import type { FrozenReport } from "../../ledger/usage-ledger.ts";
import { type Flush, postpone, REPORTED_ELSEWHERE, type Refusal } from "./flush.ts";
import { describeAllRefused } from "./refused-report.ts";

/** When single entries of so many pages are refused before any is accepted, a setting is probably wrong. Of one page, it is probably the page. */
const MAX_FIRST_REFUSED_PAGES = 3;

/** @returns why reporting must stop, or null */
export async function rejectReport(flush: Flush, frozen: FrozenReport, refusal: Refusal): Promise<string | null> {
  const { deps, fence, counters, suspects } = flush;
  if (frozen.entries.length === 1 && counters.batches === 0) {
    suspects.set(frozen.reportId, { frozen, refusal });
    flush.hasJustIsolated = true;
    await postpone(flush, frozen, { detail: refusal.detail, askedMs: 0, unknownAttempts: 0 });
    const pages = new Set([...suspects.values()].map((suspect) => suspect.frozen.entries[0]?.url));
    if (pages.size < MAX_FIRST_REFUSED_PAGES) {
      return null;
    }
    // The next flush may come after the setting was corrected, so it may send them without waiting.
    for (const { reportId } of [...suspects.values()].map((suspect) => suspect.frozen)) {
      const { detail } = refusal;
      await deps.ledger.postponeReport({ fence, reportId, notBefore: deps.clock.now(), detail, unknownAttempts: 0 });
    }
    counters.refused = true;
    counters.allRefused = true;
    return describeAllRefused(suspects.size, refusal);
  }
  return (await reject(flush, frozen, refusal)) === "stale" ? REPORTED_ELSEWHERE : null;
}

/** Halves the report, or records its single entry as rejected. */
async function reject(flush: Flush, frozen: FrozenReport, { status, detail }: Refusal) {
  const { deps, fence, counters } = flush;
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
    counters.rejectedEntries++;
    const url = frozen.entries[0]?.url ?? "a page";
    deps.events.warned(`the gateway does not accept the report of ${url} (${status}): ${detail}`);
  }
  return end;
}

/** Rejects the suspects. An entry was accepted, or no other entry is left, so the refusals concern these entries. */
export async function rejectSuspects(flush: Flush): Promise<void> {
  for (const { frozen, refusal } of flush.suspects.values()) {
    await reject(flush, frozen, refusal);
  }
  flush.suspects.clear();
}
