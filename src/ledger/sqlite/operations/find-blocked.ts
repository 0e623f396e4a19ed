import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** Reads: purchase, by page. */
export function createFindBlocked(core: LedgerCore): Ledger["findBlocked"] {
  const isOpen = core.db
    .prepare<[number], number>("SELECT 1 FROM purchase WHERE page_id = ? AND ended_at IS NULL")
    .pluck();
  const isInDoubt = core.db
    .prepare<[number], number>("SELECT 1 FROM purchase WHERE page_id = ? AND state = 'in_doubt' LIMIT 1")
    .pluck();
  return ({ pageIds, inDoubt }) =>
    core.read(() => {
      const blocked: { pageId: number; reason: "in_doubt" | "already_open" }[] = [];
      for (const pageId of pageIds) {
        if (isOpen.get(pageId) !== undefined) {
          blocked.push({ pageId, reason: "already_open" });
        } else if (inDoubt === "hold" && isInDoubt.get(pageId) !== undefined) {
          blocked.push({ pageId, reason: "in_doubt" });
        }
      }
      return blocked;
    });
}
