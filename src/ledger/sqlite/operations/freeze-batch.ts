import { assertBug } from "../../../errors.ts";
import type { Ledger } from "../../ledger.ts";
import type { Connection } from "../connection.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createUsageOutbox, type EntryDraft } from "../usage-outbox.ts";

/** Uses in one batch, however few entries they make: bounds the transaction. The rest goes into the next batch. */
const MAX_USES_PER_BATCH = 20_000;

interface PendingUse {
  readonly id: number;
  readonly pageId: number;
  readonly times: number;
  readonly unitMicros: number;
  readonly currency: string;
  readonly licenseType: string;
  readonly licenseCuid: string | null;
  readonly wireUrl: string;
}

/**
 * Freezes the oldest unreported uses, added up per page, licence and expected price, into a new batch: its id, its bytes
 * and its members in one transaction (promise 5). The entries are in order of their oldest use, so the same uses always
 * give the same bytes. Idempotent by `idempotencyId`: a batch of that id is returned as it is. null when nothing is
 * unreported or the fence is stale.
 */
export function createFreezeBatch(core: LedgerCore): Ledger["freezeBatch"] {
  const { db, write } = core;
  const outbox = createUsageOutbox(core);
  const listEntries = createListEntries(db);
  const find = db.prepare<[string], number>("SELECT id FROM usage_batch WHERE idempotency_id = ?").pluck();
  return ({ fence, idempotencyId, maxEntries, licenseIdField, now }) => {
    assertBug(Number.isSafeInteger(maxEntries) && maxEntries > 0, `a batch of ${maxEntries} entries`);
    return write(() => {
      if (!outbox.holdsFence(fence)) {
        return null;
      }
      const frozen = find.get(idempotencyId);
      if (frozen !== undefined) {
        return outbox.read(frozen);
      }
      const entries = listEntries(maxEntries);
      if (entries.length === 0) {
        return null;
      }
      return outbox.freeze({ idempotencyId, parentId: null, entries, licenseIdField, now });
    });
  };
}

function createListEntries(db: Connection): (maxEntries: number) => EntryDraft[] {
  // CROSS JOIN keeps the order of the tables: the outbox leads, oldest use first, and only as far as it is read.
  const select = db.prepare<[number], PendingUse>(
    `SELECT u.id, u.page_id AS pageId, u.times, u.unit_micros AS unitMicros, u.currency,
            l.license_type AS licenseType, l.cuid AS licenseCuid, coalesce(p.wire_url, p.url) AS wireUrl
     FROM use u CROSS JOIN license l ON l.id = u.license_id CROSS JOIN page p ON p.id = u.page_id
     WHERE u.state = 'pending' ORDER BY u.id LIMIT ?`,
  );
  return (maxEntries) => {
    const entries = new Map<string, EntryDraft & { times: number; useIds: number[] }>();
    for (const { id, times, ...terms } of select.iterate(MAX_USES_PER_BATCH)) {
      const key = JSON.stringify([
        terms.pageId,
        terms.licenseType,
        terms.licenseCuid,
        terms.unitMicros,
        terms.currency,
      ]);
      const entry = entries.get(key);
      if (entry !== undefined) {
        entry.times += times;
        entry.useIds.push(id);
      } else if (entries.size < maxEntries) {
        entries.set(key, { ...terms, times, useIds: [id] });
      } else {
        break;
      }
    }
    return [...entries.values()];
  };
}
