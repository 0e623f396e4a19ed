import { createHash } from "node:crypto";
import { isLaterDate, isWorthQuoting } from "../../../catalog/freshness.ts";
import { withOtherScheme } from "../../../catalog/page-url.ts";
import type { WalkState } from "../../../catalog/walk-state.ts";
import type { CatalogRecord, CatalogRecorded, WalkedEntry } from "../../frontier-ledger.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createRenewals } from "../rights/renewals.ts";
import type { LeasedBatch } from "../runs/batches.ts";
import type { FRONTIER_STATES } from "../schema/frontier.ts";
import { createCatalogPages, storedFor } from "./catalog-pages.ts";
import { createRejectedEntries } from "./rejected-entries.ts";

/** Enough of a sha256 to tell the tokens of one walk apart. */
const TOKEN_HASH_BYTES = 16;
const LOOP_WARNING = "the catalog repeated a page token: the walk ended there";
/**
 * Catalog pages a walk may read beyond one for each page of the site it has found. A catalog that always gives new tokens
 * and brings nothing has no end, and a walk must.
 */
const MAX_IDLE_CATALOG_PAGES = 1_000;
const IDLE_WARNING = `more than ${MAX_IDLE_CATALOG_PAGES} pages of the catalog had no new entry: the walk ended there`;

type FrontierState = (typeof FRONTIER_STATES)[number];

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
export function createRecordCatalogPage(parts: LedgerParts): Ledger["recordCatalogPage"] {
  const { batches, walks, quoteFilling } = parts;
  const rejected = createRejectedEntries(parts.db);
  const recordEntries = createEntryRecorder(parts);
  const useToken = createTokenCheck(parts);
  const isIdle = createIdleCheck(parts);
  const setBatchSize = parts.db.prepare<[number, number, number]>(
    "UPDATE run_site SET quote_batch_size = ? WHERE run_id = ? AND site_id = ?",
  );

  return (record) =>
    parts.write((): CatalogRecorded => {
      const batch = batches.find(record.leaseId, "walk");
      if (batch === null || walks.read(batch.runRowId, batch.siteId) === null) {
        const nothing: Counts = { seen: 0, repeated: 0, unchanged: 0, excluded: 0, candidates: 0, otherScheme: null };
        return { stale: true, ...nothing, looped: false, idle: false, walkEnded: false };
      }
      const { runRowId, siteId } = batch;
      const counts = recordEntries(batch, record);
      rejected.add(runRowId, siteId, record.rejected);
      parts.counters.add({ runRowId, siteId, kind: "seen" }, counts.seen);
      parts.counters.add({ runRowId, siteId, kind: "unchanged" }, counts.unchanged);
      parts.counters.add({ runRowId, siteId, kind: "excluded" }, counts.excluded);
      parts.counters.add({ runRowId, siteId, kind: "rejected" }, record.rejected.length);

      const looped = record.next.pageToken !== null && !useToken(runRowId, siteId, record.next.pageToken);
      const idle = !looped && isIdle(runRowId, siteId, record.next, counts.seen);
      const next: WalkState = looped || idle ? { ...record.next, pageToken: null, ended: "cut" } : record.next;
      walks.write(runRowId, siteId, next, looped ? LOOP_WARNING : idle ? IDLE_WARNING : null);
      setBatchSize.run(record.quoteBatchSize, runRowId, siteId);
      batches.remove(batch);
      if (next.ended === null) {
        batches.add({ runRowId, siteId, stage: "walk", size: 0 });
      } else {
        quoteFilling.finish(runRowId, siteId);
      }
      return { stale: false, ...counts, looped, idle, walkEnded: next.ended !== null };
    });
}

/** Puts the entries of one catalog page into the frontier, and those worth looking at into quote batches. */
function createEntryRecorder(parts: LedgerParts): (batch: LeasedBatch, record: CatalogRecord) => Counts {
  const { quoteFilling } = parts;
  const pages = createCatalogPages(parts.db);
  const renewals = createRenewals(parts.db);
  const selectState = parts.db
    .prepare<[number, number], FrontierState>("SELECT state FROM frontier WHERE run_id = ? AND page_id = ?")
    .pluck();
  const isKnown = parts.db.prepare<[string], number>("SELECT 1 FROM page WHERE url = ?").pluck();
  const insert = parts.db.prepare<[number, number, FrontierState, number | null]>(
    "INSERT INTO frontier (run_id, page_id, state, batch_id) VALUES (?, ?, ?, ?)",
  );
  const setWaiting = parts.db.prepare<[number, number, number]>(
    "UPDATE frontier SET state = 'waiting', batch_id = ? WHERE run_id = ? AND page_id = ?",
  );

  return ({ runRowId, siteId }, { entries, refresh, expiry, intent, now, quoteBatchSize }) => {
    const unique = mergeRepeated(entries);
    const counts: Counts = {
      seen: 0,
      repeated: entries.length - unique.length,
      unchanged: 0,
      excluded: 0,
      candidates: 0,
      otherScheme: null,
    };
    const quotes = quoteFilling.resume({ runRowId, siteId, batchSize: quoteBatchSize });
    const withRenewal = renewals.at(expiry, now);
    for (const entry of unique) {
      const page = pages.meet(siteId, entry);
      const isCandidate =
        !entry.excluded && isWorthQuoting(entry, withRenewal(page.id, storedFor(intent, page)), refresh, now);
      // A page made just now cannot have been seen.
      const seenAs = page.isNew ? undefined : selectState.get(runRowId, page.id);
      if (seenAs !== undefined) {
        counts.repeated += 1;
        if (isLaterDate(entry, page)) {
          pages.update(page, entry);
          if (isCandidate && seenAs === "unchanged") {
            counts.unchanged -= 1;
            counts.candidates += 1;
            setWaiting.run(quotes.place(), runRowId, page.id);
          }
        }
        continue;
      }
      pages.update(page, entry);
      counts.seen += 1;
      if (isCandidate) {
        counts.candidates += 1;
        counts.otherScheme ??= isKnown.get(withOtherScheme(entry.url)) === undefined ? null : entry.url;
        insert.run(runRowId, page.id, "waiting", quotes.place());
      } else {
        const state = entry.excluded ? "excluded" : "unchanged";
        counts[state] += 1;
        insert.run(runRowId, page.id, state, null);
      }
    }
    quotes.done();
    return counts;
  };
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
function createTokenCheck(core: LedgerCore): (runRowId: number, siteId: number, token: string) => boolean {
  const insert = core.db.prepare<[number, number, Buffer]>(
    "INSERT INTO walk_token (run_id, site_id, token_hash) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  return (runRowId, siteId, token) => {
    const hash = createHash("sha256").update(token).digest().subarray(0, TOKEN_HASH_BYTES);
    return insert.run(runRowId, siteId, hash).changes === 1;
  };
}

/** True when the walk has read far more catalog pages than it has found pages. */
function createIdleCheck(
  core: LedgerCore,
): (runRowId: number, siteId: number, next: WalkState, seen: number) => boolean {
  const countSeen = core.db
    .prepare<[number, number], number>(
      "SELECT coalesce(sum(count), 0) FROM tally WHERE run_id = ? AND site_id = ? AND kind = 'seen'",
    )
    .pluck();
  return (runRowId, siteId, { pageToken, pagesRead }, seen) =>
    pageToken !== null &&
    pagesRead > MAX_IDLE_CATALOG_PAGES &&
    pagesRead - MAX_IDLE_CATALOG_PAGES > seen + (countSeen.get(runRowId, siteId) ?? 0);
}
