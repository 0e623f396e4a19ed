/** Things that a person has to look at. Called within a write. */
import type { OpenItem } from "../usage-ledger.ts";
import type { Connection } from "./connection.ts";

export interface OpenItems {
  /** Opens an item; one that is open with the same words already is not opened again. */
  open(item: OpenItem): void;
  /** Closes every open item of one kind about a batch: it has resolved itself. */
  closeOf(closing: { readonly kind: OpenItem["kind"]; readonly batchId: number; readonly now: number }): void;
}

export function createOpenItems(db: Connection): OpenItems {
  const find = db
    .prepare<[string, string, string | null, number | null], number>(
      "SELECT id FROM open_item WHERE closed_at IS NULL AND kind = ? AND detail = ? AND url IS ? AND batch_id IS ?",
    )
    .pluck();
  const insert = db.prepare<[string, string, string | null, number | null, number]>(
    "INSERT INTO open_item (kind, detail, url, batch_id, at) VALUES (?, ?, ?, ?, ?)",
  );
  const close = db.prepare<[number, string, number]>(
    "UPDATE open_item SET closed_at = ? WHERE closed_at IS NULL AND kind = ? AND batch_id = ?",
  );
  return {
    open({ kind, detail, url, batchId, at }) {
      if (find.get(kind, detail, url, batchId) === undefined) {
        insert.run(kind, detail, url, batchId, at);
      }
    },
    closeOf({ kind, batchId, now }) {
      close.run(now, kind, batchId);
    },
  };
}
