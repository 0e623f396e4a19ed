import { LicetError } from "../../../errors.ts";
import type { Ledger } from "../../ledger.ts";
import type { OpenItem } from "../../usage-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createSelectOpenItem } from "./open-items.ts";
import { createDescribeId } from "./other-ids.ts";

/**
 * A person has looked at an open item: it is closed, with a resolution. A site that it stopped is bought from again. Not repeatable:
 * a second call finds it closed and throws. A report that waits for a word on itself is not settled by closing its item.
 */
export function createCloseItem(core: LedgerCore): Ledger["closeItem"] {
  const { db, write } = core;
  const select = createSelectOpenItem(db);
  const describeId = createDescribeId(db);
  const stateOf = db.prepare<[number | null], string>("SELECT state FROM usage_batch WHERE id = ?").pluck();
  const close = db.prepare<[number, number]>("UPDATE open_item SET closed_at = ? WHERE id = ?");
  const resolve = db.prepare<[number, number]>(
    "INSERT INTO resolution (open_item_id, outcome, amount_micros, source, at) VALUES (?, 'closed', 0, 'operator', ?)",
  );
  return ({ itemId, now }) =>
    write((): OpenItem => {
      const item = select(itemId);
      if (item === undefined) {
        throw new LicetError("OPEN_ITEM_NOT_FOUND", `there is no open item ${itemId}`, {
          hint: describeId(itemId),
          details: { itemId },
        });
      }
      const { batchId } = item;
      if (item.kind === "needs_reconcile" && stateOf.get(batchId) === "needs_reconcile") {
        throw new LicetError("OPEN_ITEM_NEEDS_WORD", `open item ${itemId} is about a report that was perhaps taken`, {
          hint: `Ask the gateway's operator, then: licet resolve ${batchId} --taken, or licet resolve ${batchId} --not-taken`,
          details: { itemId, batchId },
        });
      }
      close.run(now, itemId);
      resolve.run(itemId, now);
      return item;
    });
}
