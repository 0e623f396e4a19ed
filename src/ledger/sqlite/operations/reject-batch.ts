import type { Ledger } from "../../ledger.ts";
import { createEntryUses, type EntryRow } from "../entry-uses.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createOpenItems } from "../open-items.ts";
import { createUsageOutbox, type EntryDraft, type UsageOutbox } from "../usage-outbox.ts";

/** Characters kept of the gateway's reason. */
const MAX_DETAIL_CHARS = 500;

type Rejection = Parameters<Ledger["rejectBatch"]>[0];

/**
 * Closes a batch that the gateway definitely refused. Its uses go, frozen anew with bytes and ids of their own, into two
 * batches of half the entries in the same transaction; those of a single entry are recorded as rejected with an open item,
 * never dropped, and what is reserved for them stays reserved. Idempotent: a batch that was rejected before gives the same
 * answer again. `stale` when the fence is, or when the batch has another answer.
 */
export function createRejectBatch(core: LedgerCore): Ledger["rejectBatch"] {
  const { db, write } = core;
  const outbox = createUsageOutbox(core);
  const entryUses = createEntryUses(core);
  const isolate = createIsolate(core);
  const bisect = createBisect(core, outbox);
  const close = db.prepare<[string, number, number]>(
    "UPDATE usage_batch SET state = 'rejected', detail = ?, closed_at = ? WHERE id = ?",
  );
  return (rejection) =>
    write(() => {
      const { batchId, now } = rejection;
      const state = outbox.stateOf(batchId);
      if (!outbox.holdsFence(rejection.fence) || (state !== "frozen" && state !== "rejected")) {
        return "stale";
      }
      const entries = entryUses.entriesOf(batchId);
      const [first, ...rest] = entries;
      if (state === "frozen") {
        close.run(describe(rejection), now, batchId);
        if (first !== undefined && rest.length === 0) {
          isolate(first, rejection);
        } else {
          bisect(entries, rejection);
        }
      }
      return rest.length === 0 ? "isolated" : "bisected";
    });
}

function describe({ status, detail }: Rejection): string {
  return `${status}: ${detail}`.slice(0, MAX_DETAIL_CHARS);
}

function createIsolate(core: LedgerCore): (entry: EntryRow, rejection: Rejection) => void {
  const { db, tallies } = core;
  const items = createOpenItems(db);
  const entryUses = createEntryUses(core);
  const rejectUses = db.prepare<[number]>("UPDATE use SET state = 'rejected' WHERE entry_id = ?");
  return (entry, rejection) => {
    const { id, batchId, url, times } = entry;
    const detail = `the gateway refuses the report of ${times} uses (${describe(rejection)})`;
    items.open({ kind: "rejected_entry", detail, url, batchId, at: rejection.now });
    for (const { runId, siteId } of entryUses.usesOf(batchId).get(id) ?? []) {
      if (runId !== null) {
        tallies.add({ runId, siteId, kind: "use_rejected" }, 1);
      }
    }
    rejectUses.run(id);
  };
}

function createBisect(
  core: LedgerCore,
  outbox: UsageOutbox,
): (entries: readonly EntryRow[], rejection: Rejection) => void {
  const entryUses = createEntryUses(core);
  return (entries, { batchId, idempotencyIds, licenseIdField, now }) => {
    const uses = entryUses.usesOf(batchId);
    const toDraft = ({ id, ...entry }: EntryRow): EntryDraft => ({
      ...entry,
      useIds: (uses.get(id) ?? []).map((use) => use.id),
    });
    const middle = Math.ceil(entries.length / 2);
    for (const [index, idempotencyId] of idempotencyIds.entries()) {
      const half = index === 0 ? entries.slice(0, middle) : entries.slice(middle);
      outbox.freeze({ idempotencyId, parentId: batchId, entries: half.map(toDraft), licenseIdField, now });
    }
  };
}
