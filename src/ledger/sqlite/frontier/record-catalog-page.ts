import { createHash } from "node:crypto";
import { isLaterDate, isWorthQuoting } from "../../../catalog/freshness.ts";
import type { WalkState } from "../../../catalog/walk-state.ts";
import type { CatalogRecord, CatalogRecorded, WalkedEntry } from "../../frontier-ledger.ts";
import type { Asked, ReadTx, Tx } from "../operation.ts";
import { markRenewals } from "../rights/renewals.ts";
import type { LeasedBatch } from "../runs/batches.ts";
import { addBatch, findBatch, removeBatch } from "../runs/batches.ts";
import { findOrInsertPage, storedFor, updatePage } from "./catalog-pages.ts";
import { findSeen, writeRanges } from "./frontier-ranges.ts";
import { finishFilling, resumeFilling } from "./quote-filling.ts";
import { lookForTwoSchemes } from "./two-schemes.ts";
import { readWalk, writeWalk } from "./walks.ts";

/** Enough of a sha256 to tell the tokens of one walk apart. */
const TOKEN_HASH_BYTES = 16;
const LOOP_WARNING = "the catalog repeated a page token: the walk ended there";
/**
 * Catalog pages a walk may read beyond one for each page of the site it has found. A catalog that always gives new tokens
 * and brings nothing has no end, and a walk must.
 */
const MAX_IDLE_CATALOG_PAGES = 1_000;
const IDLE_WARNING = `more than ${MAX_IDLE_CATALOG_PAGES} pages of the catalog had no new entry: the walk ended there`;

/** `unchanged` is negative where a later line of the catalog showed a newer version of a page that was counted before. */
type Counts = {
  seen: number;
  repeated: number;
  unchanged: number;
  excluded: number;
  candidates: number;
  otherScheme: string | null;
};

/**
 * Reads and writes: page, frontier, batch, run_site, walk_token, tally, one transaction a catalog page. Idempotent by lease: the
 * walk batch is replaced by the next one, so a second call is `stale`.
 */
export function recordCatalogPage(tx: Tx, record: Asked<"recordCatalogPage">): CatalogRecorded {
  const batch = findBatch(tx, record.leaseId, "walk");
  if (batch === null || readWalk(tx, batch.runRowId, batch.siteId) === null) {
    const nothing: Counts = { seen: 0, repeated: 0, unchanged: 0, excluded: 0, candidates: 0, otherScheme: null };
    return { stale: true, ...nothing, looped: false, idle: false, walkEnded: false };
  }
  const { runRowId, siteId } = batch;
  const counts = recordEntries(tx, batch, record);
  addRejectedEntries(tx, runRowId, siteId, record.rejected);
  tx.counters.add({ runRowId, siteId, kind: "seen" }, counts.seen);
  tx.counters.add({ runRowId, siteId, kind: "unchanged" }, counts.unchanged);
  tx.counters.add({ runRowId, siteId, kind: "excluded" }, counts.excluded);
  tx.counters.add({ runRowId, siteId, kind: "rejected" }, record.rejected.length);

  const looped = record.next.pageToken !== null && !isNewToken(tx, runRowId, siteId, record.next.pageToken);
  const idle = !looped && isIdle(tx, runRowId, siteId, record.next, counts.seen);
  const next: WalkState = looped || idle ? { ...record.next, pageToken: null, ended: "cut" } : record.next;
  writeWalk(tx, runRowId, siteId, next, looped ? LOOP_WARNING : idle ? IDLE_WARNING : null);
  tx.run`UPDATE run_site SET quote_batch_size = ${record.quoteBatchSize} WHERE run_id = ${runRowId} AND site_id = ${siteId}`;
  removeBatch(tx, batch);
  if (next.ended === null) {
    addBatch(tx, { runRowId, siteId, stage: "walk", size: 0 });
  } else {
    finishFilling(tx, runRowId, siteId);
  }
  return { stale: false, ...counts, looped, idle, walkEnded: next.ended !== null };
}

const INSERT_ENTRY = "INSERT INTO frontier (run_id, page_id, state, batch_id) VALUES (?, ?, ?, ?)";

/** Puts the entries of one catalog page into the frontier, and those worth looking at into quote batches. */
function recordEntries(
  tx: Tx,
  { runRowId, siteId }: LeasedBatch,
  { entries, refresh, expiry, intent, now, quoteBatchSize }: CatalogRecord,
): Counts {
  const unique = mergeRepeated(entries);
  const counts: Counts = {
    seen: 0,
    repeated: entries.length - unique.length,
    unchanged: 0,
    excluded: 0,
    candidates: 0,
    otherScheme: null,
  };
  const quotes = resumeFilling(tx, { runRowId, siteId, batchSize: quoteBatchSize });
  const ranges = writeRanges(tx, runRowId);
  const hasOther = lookForTwoSchemes(
    tx,
    unique.map(({ url }) => url),
  );
  const withRenewal = markRenewals(tx, expiry, now);
  for (const entry of unique) {
    const page = findOrInsertPage(tx, siteId, entry);
    const isCandidate =
      !entry.excluded && isWorthQuoting(entry, withRenewal(page.id, storedFor(intent, page)), refresh, now);
    // A page made just now cannot have been seen.
    const seenAs = page.isNew ? undefined : findSeen(tx, runRowId, page.id);
    if (seenAs !== undefined) {
      counts.repeated += 1;
      if (isLaterDate(entry, page)) {
        updatePage(tx, page, entry);
        if (isCandidate && seenAs === "unchanged") {
          counts.unchanged -= 1;
          counts.candidates += 1;
          tx.run`UPDATE frontier SET state = 'waiting', batch_id = ${quotes.place(page.id)} WHERE run_id = ${runRowId} AND page_id = ${page.id}`;
        }
      }
      continue;
    }
    updatePage(tx, page, entry);
    counts.seen += 1;
    if (isCandidate) {
      counts.candidates += 1;
      counts.otherScheme ??= hasOther(entry.url) ? entry.url : null;
      const batchId = quotes.place(page.id);
      if (page.isNew) {
        ranges.add(page.id, batchId);
      } else {
        tx.run(INSERT_ENTRY, runRowId, page.id, "waiting", batchId);
      }
    } else {
      const state = entry.excluded ? "excluded" : "unchanged";
      counts[state] += 1;
      tx.run(INSERT_ENTRY, runRowId, page.id, state, null);
    }
  }
  ranges.done();
  quotes.done();
  return counts;
}

/** Of a page that a catalog page names more than once, one entry with the newest of its dates. */
function mergeRepeated(entries: readonly WalkedEntry[]): WalkedEntry[] {
  const byUrl = new Map<string, WalkedEntry>();
  for (const entry of entries) {
    const known = byUrl.get(entry.url);
    if (known === undefined) {
      byUrl.set(entry.url, entry);
    } else if (isLaterDate(entry, known)) {
      byUrl.set(entry.url, { ...known, lastMod: entry.lastMod, lastModAt: entry.lastModAt });
    }
  }
  return [...byUrl.values()];
}

/** False when the walk has used this token before. */
function isNewToken(tx: Tx, runRowId: number, siteId: number, token: string): boolean {
  const hash = createHash("sha256").update(token).digest().subarray(0, TOKEN_HASH_BYTES);
  return tx.changed`INSERT INTO walk_token (run_id, site_id, token_hash) VALUES (${runRowId}, ${siteId}, ${hash}) ON CONFLICT DO NOTHING`;
}

/** True when the walk has read far more catalog pages than it has found pages. */
function isIdle(
  tx: ReadTx,
  runRowId: number,
  siteId: number,
  { pageToken, pagesRead }: WalkState,
  seen: number,
): boolean {
  return (
    pageToken !== null &&
    pagesRead > MAX_IDLE_CATALOG_PAGES &&
    pagesRead - MAX_IDLE_CATALOG_PAGES >
      seen +
        (tx.value<number>`SELECT coalesce(sum(count), 0) FROM tally WHERE run_id = ${runRowId} AND site_id = ${siteId} AND kind = 'seen'` ??
          0)
  );
}

/** Examples of catalog entries that are not pages of their site, kept per run, site and reason. */
const MAX_EXAMPLES = 5;
const MAX_RAW_CHARACTERS = 500;
/** Reasons come from licet, but a bound costs nothing. */
const MAX_REASON_CHARACTERS = 200;

const INSERT_EXAMPLE = `INSERT INTO rejected_entry (run_id, site_id, reason, raw)
  SELECT @runRowId, @siteId, @reason, @raw
  WHERE (SELECT count(*) FROM rejected_entry WHERE run_id = @runRowId AND site_id = @siteId AND reason = @reason) < ${MAX_EXAMPLES}`;

/** Keeps the first entries of each reason. What is beyond them is only counted (tally `rejected`). */
function addRejectedEntries(
  tx: Tx,
  runRowId: number,
  siteId: number,
  entries: readonly { readonly raw: string; readonly reason: string }[],
): void {
  const tried = new Map<string, number>();
  for (const { raw, reason } of entries) {
    const count = (tried.get(reason) ?? 0) + 1;
    tried.set(reason, count);
    if (count <= MAX_EXAMPLES) {
      tx.run(INSERT_EXAMPLE, {
        runRowId,
        siteId,
        reason: reason.slice(0, MAX_REASON_CHARACTERS),
        raw: raw.slice(0, MAX_RAW_CHARACTERS),
      });
    }
  }
}
