import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

type Underived = Awaited<ReturnType<Ledger["listUnderived"]>>[number];

/** Reads: derived_markdown by its index of what is due, content, page. */
export function createListUnderived(core: LedgerCore): Ledger["listUnderived"] {
  const select = core.db.prepare<[number], Underived>(
    `SELECT d.purchase_id AS purchaseId, p.url, c.html FROM derived_markdown d
     JOIN content c ON c.purchase_id = d.purchase_id JOIN page p ON p.id = c.page_id
     WHERE d.markdown IS NULL AND d.failure IS NULL ORDER BY d.purchase_id LIMIT ?`,
  );
  return (limit) => core.read(() => select.all(limit));
}
