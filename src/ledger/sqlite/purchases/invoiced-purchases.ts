import { canonicalPageUrl } from "../../../catalog/page-url.ts";
import { toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { InvoicedPurchase } from "../../purchase-ledger.ts";
import type { Answered, Asked, ReadTx } from "../operation.ts";

interface Row extends Omit<InvoicedPurchase, "amount" | "feeMicros"> {
  readonly micros: number;
  readonly currency: Currency;
  readonly feeMicros: number;
}

/** Indexing costs nothing, and what is reserved was never sent. A purchase without any cost needs no line. */
const MAY_BE_INVOICED = `p.intent = 'content' AND p.quoted_micros + p.fee_micros + coalesce(p.charged_micros, 0) > 0
  AND (p.state IN ('settled', 'started', 'in_doubt') OR p.state = 'released' AND p.reason = 'resolved_not_charged')`;

const COLUMNS = `p.id AS purchaseId, p.state, g.url, p.url AS wireUrl, coalesce(p.charged_micros, p.quoted_micros) AS micros,
  coalesce(p.charged_currency, p.currency) AS currency, coalesce(p.charged_fee_micros, p.fee_micros) AS feeMicros`;

const SELECT_BY_ID = `SELECT ${COLUMNS} FROM purchase p JOIN page g ON g.id = p.page_id WHERE p.id = ? AND ${MAY_BE_INVOICED}`;

const SELECT_BY_URL = `SELECT ${COLUMNS} FROM purchase p JOIN page g ON g.id = p.page_id
  WHERE p.page_id IN (SELECT id FROM page WHERE url IN (@url, @identity)) AND ${MAY_BE_INVOICED}`;

/** Reads: page, and its purchases. */
export function readInvoiced(tx: ReadTx, { purchaseIds, urls }: Asked<"readInvoiced">): Answered<"readInvoiced"> {
  const found = new Map<number, Row>();
  for (const id of purchaseIds) {
    for (const row of tx.all<Row>(SELECT_BY_ID, id)) {
      found.set(row.purchaseId, row);
    }
  }
  for (const url of urls) {
    for (const row of tx.all<Row>(SELECT_BY_URL, { url, identity: canonicalPageUrl(url) ?? url })) {
      found.set(row.purchaseId, row);
    }
  }
  return [...found.values()]
    .sort((one, other) => one.purchaseId - other.purchaseId)
    .map(({ micros, currency, feeMicros, ...row }) => ({
      ...row,
      amount: { micros: toMicros(micros), currency },
      feeMicros: toMicros(feeMicros),
    }));
}
