import { isLaterDate, isNewerVersion, isWorthQuotingAfter, type NotifiedVersion } from "../../../catalog/freshness.ts";
import type { DenialReason } from "../../../policy/verdict.ts";
import type { HintKind, HintsAdmitted } from "../../hint-ledger.ts";
import { type CatalogPageRow, findOrInsertPage, storedFor, updatePage } from "../frontier/catalog-pages.ts";
import { FRONTIER_STATE } from "../frontier/frontier-state.ts";
import { finishFilling, resumeFilling } from "../frontier/quote-filling.ts";
import type { Asked, Tx } from "../operation.ts";
import { findOwnRun } from "../runs/own-run.ts";
import type { FrontierState } from "../schema/work.ts";

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
export function admitHints(tx: Tx, admission: Asked<"admitHints">): HintsAdmitted {
  const { runId, process, host, now, refresh, intent, quoteBatchSize } = admission;
  const siteId = tx.lookups.siteId(host);
  const runRowId = findOwnRun(tx, { runId, process });
  const isOpen = `SELECT 1 FROM run r JOIN run_site rs ON rs.run_id = r.id
    WHERE r.id = ? AND r.kind = 'webhook' AND rs.site_id = ? AND rs.stop IS NULL`;
  if (runRowId === null || tx.value<number>(isOpen, runRowId, siteId) === undefined) {
    return NOTHING;
  }
  tx.run`UPDATE run_site SET quote_batch_size = ${quoteBatchSize} WHERE run_id = ${runRowId} AND site_id = ${siteId}`;
  const admitted = { entered: 0, unchanged: 0, excluded: 0 };
  const quotes = resumeFilling(tx, { runRowId, siteId, batchSize: quoteBatchSize });
  for (const { hintId, excluded } of admission.hints) {
    const hint = tx.get<HintRow>`SELECT id, url, wire_url AS wireUrl, kind, timestamp, at, changed_after AS changedAfter, received_at AS receivedAt
       FROM hint WHERE id = ${hintId} AND site_id = ${siteId} AND state = 'waiting'`;
    if (hint === undefined) {
      continue;
    }
    const version = toVersion(hint, now);
    const known = findOrInsertPage(tx, siteId, { ...hint, ...version, propertyId: null, excluded });
    const isDue = !excluded && isWorthQuotingAfter(version, storedFor(intent, known), refresh, now);
    noteDate(tx, known, { hint, version, isDue });
    const state = isDue ? "waiting" : excluded ? "excluded" : "unchanged";
    addToFrontier(tx, { runRowId, siteId, page: known, state, place: quotes.place });
    if (state === "waiting") {
      tx.run`UPDATE hint SET state = 'entered', run_id = ${runRowId} WHERE id = ${hint.id}`;
      admitted.entered += 1;
    } else {
      tx.run`UPDATE hint SET state = ${state === "excluded" ? state : "done"}, run_id = ${runRowId}, ended_at = ${now}
        WHERE id = ${hint.id}`;
      admitted[state] += 1;
    }
  }
  quotes.done();
  // No walk goes on filling the batch.
  finishFilling(tx, runRowId, siteId);
  return { stale: false, ...admitted };
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
function noteDate(tx: Tx, page: CatalogPageRow, { hint: { url, wireUrl }, version, isDue }: DatedHint): void {
  const hidesVersion = isDue && !isNewerVersion(page, { lastMod: page.storedLastMod, lastModAt: page.storedLastModAt });
  if (!page.isNew && (hidesVersion || isLaterDate(version, page))) {
    updatePage(tx, page, { url, wireUrl, ...version, propertyId: page.propertyId, excluded: false });
  }
}

interface Meeting {
  readonly runRowId: number;
  readonly siteId: number;
  readonly page: CatalogPageRow;
  readonly state: Exclude<FrontierState, "decided">;
  /** The quote batch of the next page. */
  readonly place: (pageId: number) => number;
}

const SELECT_SEEN = `SELECT ${FRONTIER_STATE} AS "as", f.batch_id AS batchId FROM frontier f WHERE f.run_id = ? AND f.page_id = ?`;

/**
 * Puts a page into the run's frontier. A page counts once a run, however often it is notified: one that was decided before waits again when
 * it is due again, and an earlier denial of the same run is not its last word any more.
 */
function addToFrontier(tx: Tx, { runRowId, siteId, page, state, place }: Meeting): void {
  const seen = tx.get<{ as: FrontierState; batchId: number | null }>(SELECT_SEEN, runRowId, page.id);
  if (seen === undefined) {
    tx.run`INSERT INTO frontier (run_id, page_id, state, batch_id)
      VALUES (${runRowId}, ${page.id}, ${state}, ${state === "waiting" ? place(page.id) : null})`;
    tx.counters.add({ runRowId, siteId, kind: "seen" }, 1);
    if (state !== "waiting") {
      tx.counters.add({ runRowId, siteId, kind: state }, 1);
    }
    return;
  }
  const { as: seenAs, batchId } = seen;
  const waitsAlready = seenAs === "waiting" && batchId !== null;
  if (state !== "waiting" || waitsAlready) {
    return;
  }
  if (seenAs === "unchanged" || seenAs === "excluded") {
    tx.counters.add({ runRowId, siteId, kind: seenAs }, -1);
  }
  const reason = tx.value<DenialReason>`DELETE FROM denial WHERE run_id = ${runRowId} AND page_id = ${page.id} RETURNING reason`;
  if (reason !== undefined) {
    tx.counters.add({ runRowId, siteId, kind: "denied", reason }, -1);
  }
  tx.run`UPDATE frontier SET state = 'waiting', batch_id = ${place(page.id)} WHERE run_id = ${runRowId} AND page_id = ${page.id}`;
}
