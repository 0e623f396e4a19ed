/**
 * What keeps a fetch from buying a page twice that another process fetches under the other scheme at the same instant: both have found that nothing
 * is held. Walks and lists name the page that they want, and buy it under both schemes with a warning. Called within a write.
 */
import { withOtherScheme } from "../../../catalog/page-url.ts";
import type { Intent } from "../../../policy/rule.ts";
import type { DenialReason } from "../../../policy/verdict.ts";
import type { ReadTx } from "../operation.ts";
import { IS_BEING_BOUGHT } from "./quote-batches.ts";

/** A fetch looks for what is held before its run begins, and the clocks of two processes may differ a little. */
const LOOKED_BEFORE_MS = 60_000;

interface OtherPage {
  readonly isOpen: number;
  readonly storedAt: number | null;
  readonly storedIntent: Intent | null;
}

/** What was purged is not given for it. */
const SELECT_OTHER = `SELECT ${IS_BEING_BOUGHT} AS isOpen, p.held_intent AS storedIntent,
    iif(EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = p.held_purchase_id AND c.purged_at IS NOT NULL), NULL, p.held_at) AS storedAt
  FROM page p WHERE p.url = ?`;

/** @param fetchBegunAt what was stored long before it was seen by the fetch itself. Null: the run is not a fetch */
export function findUnderOtherScheme(
  tx: ReadTx,
  pageId: number,
  fetchBegunAt: number | null,
  intent: Intent,
): DenialReason | null {
  if (fetchBegunAt === null) {
    return null;
  }
  const url = tx.value<string>`SELECT url FROM page WHERE id = ${pageId}` as string;
  const other = tx.get<OtherPage>(SELECT_OTHER, withOtherScheme(url));
  if (other === undefined) {
    return null;
  }
  if (other.isOpen === 1) {
    return "already_open";
  }
  const { storedAt, storedIntent } = other;
  const isSame = storedIntent === "content" || intent === "indexing";
  return isSame && storedAt !== null && storedAt >= fetchBegunAt - LOOKED_BEFORE_MS ? "already_held" : null;
}
