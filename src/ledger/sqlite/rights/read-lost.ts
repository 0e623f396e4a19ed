import type { Ledger } from "../../ledger.ts";
import type { LostPage } from "../../rights-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { IS_NOT_PURGED } from "./ending-pages.ts";

const STORED = "CROSS JOIN purchase h ON h.id = p.held_purchase_id CROSS JOIN site s ON s.id = p.site_id";
const GONE = `page p ${STORED} WHERE p.gone_at IS NOT NULL AND p.held_purchase_id IS NOT NULL AND ${IS_NOT_PURGED}`;
/** The last word about the page: no later run denied it for another reason or bought it. */
const NOT_LICENSABLE = `denial d CROSS JOIN page p ON p.id = d.page_id ${STORED}
  WHERE d.reason = 'not_licensable' AND p.held_purchase_id IS NOT NULL AND h.run_id < d.run_id AND ${IS_NOT_PURGED}
    AND NOT EXISTS (SELECT 1 FROM denial n WHERE n.page_id = d.page_id AND n.run_id > d.run_id)`;

/** Reads: page by the index of what is gone, denial by the index of what is not licensable. */
export function createReadLost(core: LedgerCore): Ledger["readLost"] {
  const { db } = core;
  const columns = "p.url, s.host, h.id AS purchaseId";
  const selectGone = db.prepare<[number], LostPage>(
    `SELECT ${columns}, 'gone' AS why, p.gone_at AS since FROM ${GONE} ORDER BY p.id LIMIT ?`,
  );
  const selectNotLicensable = db.prepare<[number], LostPage>(
    `SELECT ${columns}, 'not_licensable' AS why, d.at AS since FROM ${NOT_LICENSABLE} ORDER BY d.page_id LIMIT ?`,
  );
  const countGone = db.prepare<[], number>(`SELECT count(*) FROM ${GONE}`).pluck();
  const countNotLicensable = db.prepare<[], number>(`SELECT count(*) FROM ${NOT_LICENSABLE}`).pluck();
  return ({ limit }) =>
    core.read(() => ({
      gone: countGone.get() ?? 0,
      notLicensable: countNotLicensable.get() ?? 0,
      pages: [...selectGone.all(limit), ...selectNotLicensable.all(limit)],
    }));
}
