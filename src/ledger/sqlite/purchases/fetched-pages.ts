import { toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { FetchedPage, PageUnderWay } from "../../fetch-ledger.ts";
import type { Answered, Asked, ReadTx } from "../operation.ts";

type BoughtPage = Extract<FetchedPage, { kind: "purchase" }>;
type DeniedPage = Extract<FetchedPage, { kind: "denial" }>;

interface DenialRow extends Omit<DeniedPage, "kind" | "doubt"> {
  readonly doubtId: number | null;
  readonly doubtMicros: number;
  readonly doubtCurrency: Currency | null;
}

/** Reads: page, and its open purchase. */
export function findUnderWay(tx: ReadTx, { urls }: Asked<"findUnderWay">): Answered<"findUnderWay"> {
  return urls.flatMap(
    (url) =>
      tx.get<PageUnderWay>`SELECT g.url, r.name AS runId FROM page g JOIN purchase o ON o.ended_at IS NULL AND o.page_id = g.id
        JOIN run r ON r.id = o.run_id WHERE g.url = ${url} LIMIT 1` ?? [],
  );
}

/** Reads: page, its purchases and the denial of one run. */
export function readFetched(tx: ReadTx, { runId, urls }: Asked<"readFetched">): Answered<"readFetched"> {
  return urls.flatMap((url): FetchedPage[] => {
    const bought = tx.get<Omit<BoughtPage, "kind">>(
      `SELECT g.url, p.id AS purchaseId, p.state, ru.text AS rule, coalesce(p.charged_currency, p.currency) AS currency,
         p.quoted_micros AS quotedMicros, p.fee_micros AS feeMicros, p.use_reserve_micros AS useReserveMicros,
         p.charged_micros AS chargedMicros, p.charged_fee_micros AS chargedFeeMicros, p.reason, p.detail
       FROM page g JOIN purchase p ON p.page_id = g.id JOIN run r ON r.id = p.run_id LEFT JOIN rule ru ON ru.id = p.rule_id
       WHERE g.url = ? AND r.name = ? ORDER BY p.id DESC LIMIT 1`,
      url,
      runId,
    );
    if (bought !== undefined) {
      return [{ kind: "purchase", ...bought }];
    }
    const denied = tx.get<DenialRow>`SELECT g.url, d.reason, d.rule_index AS ruleIndex, d.detail, p.id AS doubtId,
      p.quoted_micros AS doubtMicros, p.currency AS doubtCurrency
      FROM page g JOIN denial d ON d.page_id = g.id JOIN run r ON r.id = d.run_id LEFT JOIN purchase p ON p.page_id = g.id
      AND p.state = 'in_doubt' WHERE g.url = ${url} AND r.name = ${runId} ORDER BY p.id DESC LIMIT 1`;
    return denied === undefined ? [] : [toDeniedPage(denied)];
  });
}

function toDeniedPage({ doubtId, doubtMicros, doubtCurrency, ...row }: DenialRow): DeniedPage {
  const doubt =
    doubtId === null ? null : { purchaseId: doubtId, quotedMicros: toMicros(doubtMicros), currency: doubtCurrency };
  return { kind: "denial", ...row, doubt };
}
