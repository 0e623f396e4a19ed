/** The ledger's rows as the checkers read them: raw SQL on the file, one row a purchase, use or report. */
import type Database from "better-sqlite3";

export type PurchaseState = "reserved" | "started" | "settled" | "released" | "in_doubt";

export interface PurchaseRow {
  readonly id: number;
  readonly runId: number;
  readonly run: string;
  readonly host: string;
  readonly url: string;
  readonly state: PurchaseState;
  readonly intent: "content" | "indexing";
  readonly format: "markdown" | "html" | "both";
  readonly policyName: string;
  readonly ruleIndex: number;
  readonly licenseType: string | null;
  readonly licenseCuid: string | null;
  readonly quoted: number;
  readonly fee: number;
  readonly useReserve: number;
  readonly currency: string | null;
  readonly reservedAt: number;
  readonly startedAt: number | null;
  readonly token: string | null;
  readonly reason: string | null;
  readonly charged: number | null;
  readonly chargedFee: number | null;
  readonly chargedCurrency: string | null;
  readonly overcharged: number;
  readonly hasContent: number;
}

export interface UseRow {
  readonly id: number;
  readonly run: string | null;
  readonly host: string;
  readonly url: string;
  readonly purchaseId: number | null;
  readonly kind: "fetch" | "use";
  readonly times: number;
  readonly licenseType: string;
  readonly licenseCuid: string | null;
  readonly unit: number;
  readonly currency: string;
  readonly billed: number;
  readonly state: "pending" | "batched" | "settled" | "rejected" | "not_reported";
  readonly entryId: number | null;
  readonly charged: number | null;
  readonly chargedCurrency: string | null;
  readonly budgetAt: number;
}

export interface ReportRow {
  readonly id: number;
  readonly idempotencyId: string;
  readonly body: string;
  readonly state: "frozen" | "settled" | "rejected" | "needs_reconcile";
}

export interface ResolutionRow {
  readonly id: number;
  readonly purchaseId: number;
  readonly outcome: "charged" | "not_charged";
  readonly source: "operator" | "late_answer" | "nothing_to_charge";
}

export interface ContentRow {
  readonly purchaseId: number;
  readonly url: string;
  /** As it was fetched: Markdown where that was asked for, else HTML. */
  readonly body: string | null;
  /** Everything else that came with it. */
  readonly rest: string;
}

const PURCHASES = `
  SELECT p.id, p.run_id AS runId, r.name AS run, s.host, g.url, p.state, p.intent, p.format, p.policy_name AS policyName,
    p.rule_index AS ruleIndex, l.license_type AS licenseType, l.cuid AS licenseCuid, p.quoted_micros AS quoted, p.fee_micros AS fee,
    p.use_reserve_micros AS useReserve, p.currency, p.reserved_at AS reservedAt, p.started_at AS startedAt, p.token, p.reason,
    p.charged_micros AS charged, p.charged_fee_micros AS chargedFee, p.charged_currency AS chargedCurrency, p.overcharged,
    EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = p.id) AS hasContent
  FROM purchase p LEFT JOIN run r ON r.id = p.run_id LEFT JOIN site s ON s.id = p.site_id LEFT JOIN page g ON g.id = p.page_id
    LEFT JOIN license l ON l.id = p.license_id`;

const USES = `
  SELECT u.id, r.name AS run, s.host, g.url, u.purchase_id AS purchaseId, u.kind, u.times, l.license_type AS licenseType,
    l.cuid AS licenseCuid, u.unit_micros AS unit, u.currency, u.billed, u.state, u.entry_id AS entryId, u.charged_micros AS charged,
    u.charged_currency AS chargedCurrency, u.budget_at AS budgetAt
  FROM use u LEFT JOIN run r ON r.id = u.run_id LEFT JOIN site s ON s.id = u.site_id LEFT JOIN page g ON g.id = u.page_id
    LEFT JOIN license l ON l.id = u.license_id`;

const REPORTS = "SELECT id, idempotency_id AS idempotencyId, CAST(body AS TEXT) AS body, state FROM usage_batch";

/** What tells whether a row has changed since it was last read. */
export type Mark = readonly [id: number, mark: string];

export interface LedgerRows {
  readonly purchaseMarks: Database.Statement<[], Mark>;
  readonly purchase: Database.Statement<[number], PurchaseRow>;
  readonly purchases: Database.Statement<[], PurchaseRow>;
  readonly useMarks: Database.Statement<[], Mark>;
  readonly use: Database.Statement<[number], UseRow>;
  readonly uses: Database.Statement<[], UseRow>;
  readonly reportMarks: Database.Statement<[], Mark>;
  readonly report: Database.Statement<[number], ReportRow>;
  readonly reports: Database.Statement<[], ReportRow>;
  readonly resolutionsAfter: Database.Statement<[number], ResolutionRow>;
}

export function prepareLedgerRows(db: Database.Database): LedgerRows {
  const rows = <Row, Parameters extends unknown[] = []>(sql: string) => db.prepare<Parameters, Row>(sql);
  return {
    purchaseMarks: rows<Mark>(
      "SELECT p.id, p.state || coalesce(p.token, '') || coalesce(c.purchase_id, '') FROM purchase p LEFT JOIN content c ON c.purchase_id = p.id ORDER BY p.id",
    ).raw(),
    purchase: rows<PurchaseRow, [number]>(`${PURCHASES} WHERE p.id = ?`),
    purchases: rows<PurchaseRow>(`${PURCHASES} ORDER BY p.id`),
    useMarks: rows<Mark>("SELECT id, state || coalesce(entry_id, '') FROM use ORDER BY id").raw(),
    use: rows<UseRow, [number]>(`${USES} WHERE u.id = ?`),
    uses: rows<UseRow>(`${USES} ORDER BY u.id`),
    // An open report may be sent at any moment: its id and bytes are part of its mark.
    reportMarks: rows<Mark>(
      "SELECT id, CASE state WHEN 'frozen' THEN state || idempotency_id || CAST(body AS TEXT) ELSE state END FROM usage_batch ORDER BY id",
    ).raw(),
    report: rows<ReportRow, [number]>(`${REPORTS} WHERE id = ?`),
    reports: rows<ReportRow>(`${REPORTS} ORDER BY id`),
    resolutionsAfter: rows<ResolutionRow, [number]>(
      "SELECT id, purchase_id AS purchaseId, outcome, source FROM resolution WHERE id > ? AND purchase_id IS NOT NULL ORDER BY id",
    ),
  };
}
