import type { Ledger } from "../../ledger.ts";
import { IS_BEING_BOUGHT, IS_IN_DOUBT } from "../engine/page-spellings.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** Reads: purchase, by page. */
export function createFindBlocked(core: LedgerCore): Ledger["findBlocked"] {
  const isOpen = core.db
    .prepare<[number], number>(`SELECT 1 FROM page p WHERE p.id = ? AND ${IS_BEING_BOUGHT}`)
    .pluck();
  const isInDoubt = core.db.prepare<[number], number>(`SELECT 1 FROM page p WHERE p.id = ? AND ${IS_IN_DOUBT}`).pluck();
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
