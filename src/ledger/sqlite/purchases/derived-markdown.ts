import { assertBug } from "../../../errors.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** Writes: derived_markdown, once: the first result stays. */
export function createRecordMarkdown(core: LedgerCore): Ledger["recordMarkdown"] {
  const update = core.db.prepare<[string | null, string | null, number]>(
    "UPDATE derived_markdown SET markdown = ?, failure = ? WHERE purchase_id = ? AND markdown IS NULL AND failure IS NULL",
  );
  return ({ purchaseId, markdown, failure }) =>
    core.write(() => {
      assertBug(
        (markdown === null) !== (failure === null),
        "a conversion gives Markdown or the reason why there is none",
      );
      return update.run(markdown, failure, purchaseId).changes === 1;
    });
}

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
