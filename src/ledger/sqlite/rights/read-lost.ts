import type { LostPage } from "../../rights-ledger.ts";
import type { Answered, Asked, ReadTx } from "../operation.ts";
import { IS_NOT_PURGED } from "./ending-pages.ts";

const COLUMNS = "p.url, s.host, h.id AS purchaseId";
const STORED = "CROSS JOIN purchase h ON h.id = p.held_purchase_id CROSS JOIN site s ON s.id = p.site_id";
const GONE = `page p ${STORED} WHERE p.gone_at IS NOT NULL AND p.held_purchase_id IS NOT NULL AND ${IS_NOT_PURGED}`;
/** The last word about the page: no later run denied it for another reason or bought it. */
const NOT_LICENSABLE = `denial d CROSS JOIN page p ON p.id = d.page_id ${STORED}
  WHERE d.reason = 'not_licensable' AND p.held_purchase_id IS NOT NULL AND h.run_id < d.run_id AND ${IS_NOT_PURGED}
    AND NOT EXISTS (SELECT 1 FROM denial n WHERE n.page_id = d.page_id AND n.run_id > d.run_id)`;

const SELECT_GONE = `SELECT ${COLUMNS}, 'gone' AS why, p.gone_at AS since FROM ${GONE} ORDER BY p.id LIMIT ?`;

const SELECT_NOT_LICENSABLE = `SELECT ${COLUMNS}, 'not_licensable' AS why, d.at AS since FROM ${NOT_LICENSABLE} ORDER BY d.page_id LIMIT ?`;

const COUNT_GONE = `SELECT count(*) FROM ${GONE}`;

const COUNT_NOT_LICENSABLE = `SELECT count(*) FROM ${NOT_LICENSABLE}`;

/** Reads: page by the index of what is gone, denial by the index of what is not licensable. */
export function readLost(tx: ReadTx, { limit }: Asked<"readLost">): Answered<"readLost"> {
  return {
    gone: tx.value<number>(COUNT_GONE) ?? 0,
    notLicensable: tx.value<number>(COUNT_NOT_LICENSABLE) ?? 0,
    pages: [...tx.all<LostPage>(SELECT_GONE, limit), ...tx.all<LostPage>(SELECT_NOT_LICENSABLE, limit)],
  };
}
