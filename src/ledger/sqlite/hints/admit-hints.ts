import { isLaterDate, isNewerVersion, isWorthQuotingAfter, type NotifiedVersion } from "../../../catalog/freshness.ts";
import type { DenialReason } from "../../../policy/verdict.ts";
import type { HintKind, HintsAdmitted } from "../../hint-ledger.ts";
import type { Ledger } from "../../ledger.ts";
import { type CatalogPageRow, createCatalogPages, storedFor } from "../frontier/catalog-pages.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import type { FRONTIER_STATES } from "../schema/frontier.ts";

type FrontierState = (typeof FRONTIER_STATES)[number];

interface HintRow {
  readonly id: number;
  readonly url: string;
  readonly wireUrl: string;
  readonly kind: HintKind;
  readonly timestamp: string;
  readonly at: number | null;
  readonly changedAfter: number;
  readonly receivedAt: number;
}

const NOTHING: HintsAdmitted = { stale: true, entered: 0, unchanged: 0, excluded: 0 };

/**
 * Reads: run, run_site, hint. Writes: hint, page, frontier, batch, denial, tally, in one transaction. Idempotent by hint: one that does not
 * wait any more is passed over.
 */
export function createAdmitHints(parts: LedgerParts): Ledger["admitHints"] {
  const { db, quoteFilling } = parts;
  const pages = createCatalogPages(db);
  const meet = createFrontierMeeting(parts);
  const selectRun = db
    .prepare<{ runId: string; process: string; siteId: number }, number>(
      `SELECT r.id FROM run r JOIN run_site rs ON rs.run_id = r.id AND rs.site_id = @siteId
       WHERE r.name = @runId AND r.kind = 'webhook' AND r.state = 'running' AND r.process = @process AND r.taken_over_by IS NULL AND rs.stop IS NULL`,
    )
    .pluck();
  const selectHint = db.prepare<[number, number], HintRow>(
    `SELECT id, url, wire_url AS wireUrl, kind, timestamp, at, changed_after AS changedAfter, received_at AS receivedAt
     FROM hint WHERE id = ? AND site_id = ? AND state = 'waiting'`,
  );
  const enter = db.prepare<[number, number]>("UPDATE hint SET state = 'entered', run_id = ? WHERE id = ?");
  const end = db.prepare<["done" | "excluded", number, number, number]>(
    "UPDATE hint SET state = ?, run_id = ?, ended_at = ? WHERE id = ?",
  );
  const setBatchSize = db.prepare<[number, number, number]>(
    "UPDATE run_site SET quote_batch_size = ? WHERE run_id = ? AND site_id = ?",
  );

  return (admission) =>
    parts.write((): HintsAdmitted => {
      const { runId, process, host, now, refresh, intent, quoteBatchSize } = admission;
      const siteId = parts.lookups.siteId(host);
      const runRowId = selectRun.get({ runId, process, siteId });
      if (runRowId === undefined) {
        return NOTHING;
      }
      setBatchSize.run(quoteBatchSize, runRowId, siteId);
      const admitted = { entered: 0, unchanged: 0, excluded: 0 };
      const quotes = quoteFilling.resume({ runRowId, siteId, batchSize: quoteBatchSize });
      for (const { hintId, excluded } of admission.hints) {
        const hint = selectHint.get(hintId, siteId);
        if (hint === undefined) {
          continue;
        }
        const version = toVersion(hint, now);
        const known = pages.meet(siteId, { ...hint, ...version, propertyId: null, excluded });
        const isDue = !excluded && isWorthQuotingAfter(version, storedFor(intent, known), refresh, now);
        noteDate(pages, known, { hint, version, isDue });
        const state = isDue ? "waiting" : excluded ? "excluded" : "unchanged";
        meet({ runRowId, siteId, page: known, state, place: quotes.place });
        if (state === "waiting") {
          enter.run(runRowId, hint.id);
          admitted.entered += 1;
        } else {
          end.run(state === "excluded" ? state : "done", runRowId, now, hint.id);
          admitted[state] += 1;
        }
      }
      quotes.done();
      // No walk goes on filling the batch.
      quoteFilling.finish(runRowId, siteId);
      return { stale: false, ...admitted };
    });
}

/**
 * The date of the version as a catalog would have it. Without a date that can be read, it is the arrival: a text that no catalog has would
 * make the next walk take the same version for a newer one.
 */
function toVersion(
  { kind, timestamp, at, changedAfter, receivedAt }: HintRow,
  now: number,
): NotifiedVersion & { readonly lastMod: string } {
  const lastModAt = Math.min(at ?? receivedAt, now);
  return { kind, changedAfter, lastMod: at === null ? new Date(receivedAt).toISOString() : timestamp, lastModAt };
}

interface DatedHint {
  readonly hint: HintRow;
  readonly version: NotifiedVersion;
  readonly isDue: boolean;
}

/**
 * A page keeps its later date. But a stored version whose date lies in the future, by a mistake or by a forged notification, must not hide
 * the versions after it: the decision compares the date of the page.
 */
function noteDate(
  pages: ReturnType<typeof createCatalogPages>,
  page: CatalogPageRow,
  { hint: { url, wireUrl }, version, isDue }: DatedHint,
): void {
  const hidesVersion = isDue && !isNewerVersion(page, { lastMod: page.storedLastMod, lastModAt: page.storedLastModAt });
  if (!page.isNew && (hidesVersion || isLaterDate(version, page))) {
    pages.update(page, { url, wireUrl, ...version, propertyId: page.propertyId, excluded: false });
  }
}

interface Meeting {
  readonly runRowId: number;
  readonly siteId: number;
  readonly page: CatalogPageRow;
  readonly state: Exclude<FrontierState, "decided">;
  /** The quote batch of the next page. */
  readonly place: () => number;
}

/**
 * Puts a page into the run's frontier. A page counts once a run, however often it is notified: one that was decided before waits again when
 * it is due again, and an earlier denial of the same run is not its last word any more.
 */
function createFrontierMeeting(core: LedgerCore): (meeting: Meeting) => void {
  const { db, counters } = core;
  const selectState = db
    .prepare<[number, number], FrontierState>("SELECT state FROM frontier WHERE run_id = ? AND page_id = ?")
    .pluck();
  const insert = db.prepare<[number, number, FrontierState, number | null]>(
    "INSERT INTO frontier (run_id, page_id, state, batch_id) VALUES (?, ?, ?, ?)",
  );
  const setWaiting = db.prepare<[number, number, number]>(
    "UPDATE frontier SET state = 'waiting', batch_id = ? WHERE run_id = ? AND page_id = ?",
  );
  const isPlaced = db.prepare<[number, number], number>(
    "SELECT 1 FROM frontier WHERE run_id = ? AND page_id = ? AND batch_id IS NOT NULL",
  );
  const removeDenial = db
    .prepare<[number, number], DenialReason>("DELETE FROM denial WHERE run_id = ? AND page_id = ? RETURNING reason")
    .pluck();

  return ({ runRowId, siteId, page, state, place }) => {
    const seenAs = selectState.get(runRowId, page.id);
    if (seenAs === undefined) {
      insert.run(runRowId, page.id, state, state === "waiting" ? place() : null);
      counters.add({ runRowId, siteId, kind: "seen" }, 1);
      if (state !== "waiting") {
        counters.add({ runRowId, siteId, kind: state }, 1);
      }
      return;
    }
    const waitsAlready = seenAs === "waiting" && isPlaced.get(runRowId, page.id) !== undefined;
    if (state !== "waiting" || waitsAlready) {
      return;
    }
    if (seenAs === "unchanged" || seenAs === "excluded") {
      counters.add({ runRowId, siteId, kind: seenAs }, -1);
    }
    const reason = removeDenial.get(runRowId, page.id);
    if (reason !== undefined) {
      counters.add({ runRowId, siteId, kind: "denied", reason }, -1);
    }
    setWaiting.run(place(), runRowId, page.id);
  };
}
