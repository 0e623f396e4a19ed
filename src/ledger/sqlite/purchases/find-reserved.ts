import { partOfUrl } from "../../../catalog/url-path.ts";
import type { Ledger } from "../../ledger.ts";
import type { OpenPurchase } from "../../purchase-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { OPEN_PURCHASE, type OpenPurchaseRow, toOpenPurchase } from "./open-purchases.ts";

/** Of so many other parts a purchase is looked for. */
const MAX_OTHER_PARTS = 2;

/** Reads: run, site, batch, purchase, page, license. What is open of a site is in its batches, which are few. */
export function createFindReserved(core: LedgerCore): Ledger["findReserved"] {
  const select = core.db.prepare<[string, string], OpenPurchaseRow>(
    `SELECT ${OPEN_PURCHASE} FROM batch b JOIN purchase u ON u.batch_id = b.id AND u.ended_at IS NULL
       JOIN page p ON p.id = u.page_id
     WHERE b.run_id = (SELECT id FROM run WHERE name = ?) AND b.site_id = (SELECT id FROM site WHERE host = ?)
       AND b.stage = 'acquire' AND u.state = 'reserved' ORDER BY u.id DESC`,
  );

  return ({ runId, host, part }) =>
    core.read(() => {
      const others = new Map<string, OpenPurchaseRow>();
      let samePart: OpenPurchaseRow | null = null;
      for (const row of select.iterate(runId, host)) {
        const rowPart = partOfUrl(row.url);
        if (rowPart === part) {
          samePart ??= row;
        } else if (others.size < MAX_OTHER_PARTS && !others.has(rowPart)) {
          others.set(rowPart, row);
        }
        if (samePart !== null && others.size === MAX_OTHER_PARTS) {
          break;
        }
      }
      const toPurchase = (row: OpenPurchaseRow): OpenPurchase => toOpenPurchase(core, row);
      return {
        otherParts: [...others.values()].map(toPurchase),
        samePart: samePart === null ? null : toPurchase(samePart),
      };
    });
}
