import { toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { Ledger } from "../../ledger.ts";
import type { DoubtToResolve } from "../../purchase-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

interface Row {
  readonly purchaseId: number;
  readonly url: string;
  readonly wireUrl: string;
  readonly quotedMicros: number;
  readonly feeMicros: number;
  readonly currency: Currency | null;
}

/** Reads the purchases in doubt alone, from their index, page by page. */
export function createReadDoubts({ db, read }: LedgerCore): Ledger["readDoubts"] {
  const select = db.prepare<{ runId: string | null; after: number; limit: number }, Row>(
    `SELECT p.id AS purchaseId, g.url, p.url AS wireUrl, p.quoted_micros AS quotedMicros, p.fee_micros AS feeMicros, p.currency
     FROM purchase p JOIN page g ON g.id = p.page_id JOIN run r ON r.id = p.run_id
     WHERE p.state = 'in_doubt' AND p.id > @after AND (@runId IS NULL OR r.name = @runId) ORDER BY p.id LIMIT @limit`,
  );
  return ({ runId, afterPurchaseId: after, limit }) =>
    read(() =>
      select.all({ runId, after, limit }).map(({ quotedMicros, feeMicros, currency, ...row }): DoubtToResolve => {
        const toMoney = (micros: number) => (currency === null ? null : { micros: toMicros(micros), currency });
        return { ...row, quoted: toMoney(quotedMicros), fee: toMoney(feeMicros) };
      }),
    );
}
