import { assertBug } from "../../../errors.ts";
import { textOf } from "../engine/compressed-text.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";

/** Writes: derived_markdown, once: a second call changes nothing, the first result stays. */
export function recordMarkdown(tx: Tx, { purchaseId, markdown, failure }: Asked<"recordMarkdown">): boolean {
  assertBug((markdown === null) !== (failure === null), "a conversion gives Markdown or the reason why there is none");
  return tx.changed`UPDATE derived_markdown SET markdown = ${markdown}, failure = ${failure} WHERE purchase_id = ${purchaseId} AND markdown IS NULL
    AND failure IS NULL`;
}

type Underived = Answered<"listUnderived">[number];

/** Reads: derived_markdown by its index of what is due, content, page. */
export function listUnderived(tx: ReadTx, limit: Asked<"listUnderived">): Answered<"listUnderived"> {
  return tx.all<Underived>(SELECT_UNDERIVED, limit);
}

const SELECT_UNDERIVED = `SELECT d.purchase_id AS purchaseId, p.url, ${textOf("c", "html")} AS html FROM derived_markdown d
    JOIN content c ON c.purchase_id = d.purchase_id JOIN page p ON p.id = c.page_id WHERE d.markdown IS NULL AND d.failure IS NULL
  ORDER BY d.purchase_id LIMIT ?`;
