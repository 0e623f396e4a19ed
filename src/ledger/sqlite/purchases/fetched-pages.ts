import { toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { FetchedPage, FetchLedger, PageUnderWay } from "../../fetch-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

type BoughtPage = Extract<FetchedPage, { kind: "purchase" }>;
type DeniedPage = Extract<FetchedPage, { kind: "denial" }>;

interface DenialRow extends Omit<DeniedPage, "kind" | "doubt"> {
  readonly doubtId: number | null;
  readonly doubtMicros: number;
  readonly doubtCurrency: Currency | null;
}

/** Reads: page, and its open purchase. */
export function createFindUnderWay(core: LedgerCore): FetchLedger["findUnderWay"] {
  const select = core.db.prepare<[string], PageUnderWay>(
    `SELECT g.url, r.name AS runId FROM page g
       JOIN purchase o ON o.ended_at IS NULL AND o.page_id = g.id
       JOIN run r ON r.id = o.run_id
     WHERE g.url = ? LIMIT 1`,
  );
  return ({ urls }) => core.read(() => urls.flatMap((url) => select.get(url) ?? []));
}

/** Reads: page, its purchases and the denial of one run. */
export function createReadFetched(core: LedgerCore): FetchLedger["readFetched"] {
  const selectPurchase = core.db.prepare<[string, string], Omit<BoughtPage, "kind">>(
    `SELECT g.url, p.id AS purchaseId, p.state, ru.text AS rule, coalesce(p.charged_currency, p.currency) AS currency,
       p.quoted_micros AS quotedMicros, p.fee_micros AS feeMicros, p.use_reserve_micros AS useReserveMicros,
       p.charged_micros AS chargedMicros, p.charged_fee_micros AS chargedFeeMicros, p.reason, p.detail
     FROM page g JOIN purchase p ON p.page_id = g.id JOIN run r ON r.id = p.run_id LEFT JOIN rule ru ON ru.id = p.rule_id
     WHERE g.url = ? AND r.name = ? ORDER BY p.id DESC LIMIT 1`,
  );
  const selectDenial = core.db.prepare<[string, string], DenialRow>(
    `SELECT g.url, d.reason, d.rule_index AS ruleIndex, d.detail, p.id AS doubtId, p.quoted_micros AS doubtMicros, p.currency AS doubtCurrency
     FROM page g JOIN denial d ON d.page_id = g.id JOIN run r ON r.id = d.run_id
       LEFT JOIN purchase p ON p.page_id = g.id AND p.state = 'in_doubt'
     WHERE g.url = ? AND r.name = ? ORDER BY p.id DESC LIMIT 1`,
  );
  return ({ runId, urls }) =>
    core.read(() =>
      urls.flatMap((url): FetchedPage[] => {
        const bought = selectPurchase.get(url, runId);
        if (bought !== undefined) {
          return [{ kind: "purchase", ...bought }];
        }
        const denied = selectDenial.get(url, runId);
        return denied === undefined ? [] : [toDeniedPage(denied)];
      }),
    );
}

function toDeniedPage({ doubtId, doubtMicros, doubtCurrency, ...row }: DenialRow): DeniedPage {
  const doubt =
    doubtId === null ? null : { purchaseId: doubtId, quotedMicros: toMicros(doubtMicros), currency: doubtCurrency };
  return { kind: "denial", ...row, doubt };
}
