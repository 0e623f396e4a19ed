import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createUsageOutbox } from "../usage-outbox.ts";

/** Characters kept of what went wrong. */
const MAX_DETAIL_CHARS = 500;

/** Sets when a batch without a usable answer is sent again. False when the fence is stale or it has an answer. Idempotent. */
export function createPostponeBatch(core: LedgerCore): Ledger["postponeBatch"] {
  const { db, write } = core;
  const outbox = createUsageOutbox(core);
  const postpone = db.prepare<[number, string, number]>(
    "UPDATE usage_batch SET not_before = ?, detail = ? WHERE id = ? AND state = 'frozen'",
  );
  return ({ fence, batchId, notBefore, detail }) =>
    write(
      () =>
        outbox.holdsFence(fence) && postpone.run(notBefore, detail.slice(0, MAX_DETAIL_CHARS), batchId).changes === 1,
    );
}
