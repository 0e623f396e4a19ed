/**
 * The outbox of usage reports: what its operations share. Bytes are made here once and read back as they were (promise 5).
 */
import { createHash } from "node:crypto";
import { assertBug, LicetError } from "../../errors.ts";
import { toMicros } from "../../money/micros.ts";
import { buildUsageBody } from "../../usage/usage-batch.ts";
import type { FrozenBatch, UsageEntry } from "../usage-ledger.ts";
import type { LedgerCore } from "./ledger-core.ts";
import type { USAGE_BATCH_STATES } from "./schema/usage-batch.ts";

export type UsageBatchState = (typeof USAGE_BATCH_STATES)[number];

/** One line of a report to be frozen, with the uses that it stands for. */
export interface EntryDraft {
  readonly pageId: number;
  readonly wireUrl: string;
  readonly licenseType: string;
  readonly licenseCuid: string | null;
  readonly times: number;
  readonly unitMicros: number;
  readonly currency: string;
  readonly useIds: readonly number[];
}

export interface BatchDraft {
  readonly idempotencyId: string;
  readonly parentId: number | null;
  readonly entries: readonly EntryDraft[];
  readonly licenseIdField: string;
  readonly now: number;
}

export interface UsageOutbox {
  /** True while no other flusher has taken the lease and it was not given back. */
  holdsFence(fence: number): boolean;
  /** Writes a batch with its bytes and moves its uses into it. */
  freeze(draft: BatchDraft): FrozenBatch;
  /** null when there is no such batch. @throws LicetError LEDGER_CORRUPT when the bytes are no longer those that were frozen */
  read(batchId: number): FrozenBatch | null;
  stateOf(batchId: number): UsageBatchState | null;
}

interface BatchRow {
  readonly idempotencyId: string;
  readonly body: Buffer;
  readonly bodyHash: Buffer;
  readonly attempts: number;
  readonly firstAttemptAt: number | null;
}

interface EntryRow {
  readonly entryId: number;
  readonly url: string;
  readonly timesUsed: number;
  readonly licenseType: string;
  readonly licenseCuid: string | null;
  readonly unitMicros: number;
  readonly currency: string;
}

export function createUsageOutbox({ db, path }: Pick<LedgerCore, "db" | "path">): UsageOutbox {
  const fenceOf = db.prepare<[], number>("SELECT fence FROM flusher WHERE id = 1 AND expires_at IS NOT NULL").pluck();
  const selectState = db.prepare<[number], UsageBatchState>("SELECT state FROM usage_batch WHERE id = ?").pluck();
  return {
    holdsFence: (fence) => fenceOf.get() === fence,
    freeze: createFreeze(db),
    read: createRead(db, path),
    stateOf: (batchId) => selectState.get(batchId) ?? null,
  };
}

function createFreeze(db: LedgerCore["db"]): UsageOutbox["freeze"] {
  const insertBatch = db
    .prepare<[string, Uint8Array, Buffer, number | null, number], number>(
      "INSERT INTO usage_batch (idempotency_id, body, body_hash, state, parent_id, created_at) VALUES (?, ?, ?, 'frozen', ?, ?) RETURNING id",
    )
    .pluck();
  const insertEntry = db
    .prepare<[number, number, number, string, string, string | null, number, number, string], number>(
      "INSERT INTO usage_entry (batch_id, position, page_id, wire_url, license_type, license_cuid, times, unit_micros, currency) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .pluck();
  const moveUse = db.prepare<[number, number]>(
    "UPDATE use SET state = 'batched', entry_id = ? WHERE id = ? AND state IN ('pending', 'batched')",
  );
  return ({ idempotencyId, parentId, entries, licenseIdField, now }) => {
    const reported = entries.map(({ wireUrl, times, licenseType, licenseCuid }) => ({
      url: wireUrl,
      timesUsed: times,
      licenseType,
      licenseCuid,
    }));
    const body = buildUsageBody({ idempotencyId, entries: reported, licenseIdField });
    const batchId = insertBatch.get(idempotencyId, body, hashBody(body), parentId, now) as number;
    const frozen = entries.map((entry, position): UsageEntry => {
      const { pageId, wireUrl, licenseType, licenseCuid, times, unitMicros, currency, useIds } = entry;
      const row = [batchId, position, pageId, wireUrl, licenseType, licenseCuid, times, unitMicros, currency] as const;
      const entryId = insertEntry.get(...row) as number;
      for (const useId of useIds) {
        assertBug(moveUse.run(entryId, useId).changes === 1, `use ${useId} is reported elsewhere already`);
      }
      return toEntry({ entryId, url: wireUrl, timesUsed: times, licenseType, licenseCuid, unitMicros, currency });
    });
    return { batchId, idempotencyId, body, attempts: 0, firstAttemptAt: null, entries: frozen };
  };
}

function createRead(db: LedgerCore["db"], path: string): UsageOutbox["read"] {
  const selectBatch = db.prepare<[number], BatchRow>(
    "SELECT idempotency_id AS idempotencyId, body, body_hash AS bodyHash, attempts, first_attempt_at AS firstAttemptAt FROM usage_batch WHERE id = ?",
  );
  const selectEntries = db.prepare<[number], EntryRow>(
    "SELECT id AS entryId, wire_url AS url, times AS timesUsed, license_type AS licenseType, license_cuid AS licenseCuid, unit_micros AS unitMicros, currency FROM usage_entry WHERE batch_id = ? ORDER BY position",
  );
  return (batchId) => {
    const row = selectBatch.get(batchId);
    if (row === undefined) {
      return null;
    }
    const { idempotencyId, body, bodyHash, attempts, firstAttemptAt } = row;
    if (!hashBody(body).equals(bodyHash)) {
      throw new LicetError("LEDGER_CORRUPT", `usage report ${idempotencyId} is no longer what was frozen: ${path}`, {
        hint: "It is not sent. Restore the ledger from a backup, and let `licet audit` look for more damage.",
        details: { path, batchId },
      });
    }
    const entries = selectEntries.all(batchId).map(toEntry);
    return { batchId, idempotencyId, body: new Uint8Array(body), attempts, firstAttemptAt, entries };
  };
}

function toEntry({ unitMicros, ...row }: EntryRow): UsageEntry {
  return { ...row, expectedUnitMicros: toMicros(unitMicros) };
}

function hashBody(body: Uint8Array): Buffer {
  return createHash("sha256").update(body).digest();
}
