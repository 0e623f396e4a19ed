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
