/**
 * The only file that writes a purchase's state. Each statement is made from the table of legal transitions (purchase/purchase.ts): it
 * changes nothing unless the row is in a state that the transition may come from, and erases the token unless it leads to the one state
 * that has it. Each function that moves a purchase also writes what the movement counts: balances, counters, booking (account/). Called within a
 * write.
 */

import type { Standing } from "../../../account/purchase-accounts.ts";
import { NOTHING_SET_ASIDE, setAsideMicros } from "../../../budget/set-aside.ts";
import { assertBug } from "../../../errors.ts";
import { addMicros, type Micros } from "../../../money/micros.ts";
import type { Currency, Money } from "../../../money/money.ts";
import {
  type DoubtReason,
  type OneTimeToken,
  type ReleaseReason,
  releaseBy,
  TOKEN_STATE,
  TRANSITIONS,
  type TransitionName,
} from "../../../purchase/purchase.ts";
import type { DecisionTerms, PageDecision, SiteTerms } from "../../frontier-ledger.ts";
import type { SqlValue } from "../engine/statements.ts";
import { countPurchase, MONEY_ROW_COLUMNS, type MoneyRow } from "../money/purchase-money.ts";
import type { Tx } from "../operation.ts";
import { parseLeaseId } from "../runs/batches.ts";
import { CONTENT_ROW_COLUMNS, type ContentRow } from "./stored-content.ts";

/** A page that fits everything. */
export interface Approval {
  readonly pageId: number;
  readonly lastMod: string | null;
  readonly lastModAt: number | null;
  readonly listing: PageDecision["listing"];
  readonly verdict: Extract<PageDecision["verdict"], { kind: "allowed" }>;
}

export interface NewPurchase {
  readonly runRowId: number;
  readonly siteId: number;
  readonly batchId: number;
  readonly request: SiteTerms & Pick<DecisionTerms, "now">;
  readonly approval: Approval;
  readonly listingId: number | null;
}

export interface SettledRow extends ContentRow {
  readonly chargedMicros: Micros;
  readonly chargedFeeMicros: Micros;
  readonly chargedCurrency: Currency | null;
  readonly overcharged: number;
}

/** NULL until it is settled. */
export const SETTLED_ROW_COLUMNS = `${CONTENT_ROW_COLUMNS}, charged_micros AS chargedMicros, charged_fee_micros AS chargedFeeMicros,
  charged_currency AS chargedCurrency, overcharged`;

export interface PurchaseStart {
  readonly leaseId: string;
  readonly purchaseId: number;
  readonly token: OneTimeToken;
}

export interface Charge {
  readonly purchaseId: number;
  /** null: the gateway did not say, the quote counts. */
  readonly charge: Money | null;
  /** On the charge. */
  readonly feeMicros: number;
  readonly requestId: string | null;
  /** Until when the license of the answer is valid. The earlier instant counts. Null or absent: the answer does not say. */
  readonly validUntilAt?: number | null;
  /** When the answered request was sent. Null or absent: not known. */
  readonly askedAt?: number | null;
  readonly now: number;
}

/** Why a purchase ended without content. */
export interface Ending<Reason> {
  readonly purchaseId: number;
  readonly reason: Reason;
  readonly detail: string;
  readonly now: number;
}

/**
 * `UPDATE purchase …` for a transition, to be bound with: what `set` asks for, when it ends (but for the start), the id, and what `where`
 * asks for.
 */
function transitionSql(name: TransitionName, sql: { readonly set?: string; readonly where?: string } = {}): string {
  const { from, to } = TRANSITIONS[name];
  const set = sql.set === undefined ? "" : `, ${sql.set}`;
  const ended = to === TOKEN_STATE ? "" : ", token = NULL, token_expires_at = NULL, ended_at = ?";
  const states = from.map((state) => `'${state}'`).join(", ");
  const where = sql.where === undefined ? "" : ` AND ${sql.where}`;
  return `UPDATE purchase SET state = '${to}'${set}${ended} WHERE id = ? AND state IN (${states})${where}`;
}

const SELECT_MONEY_ROW = `SELECT ${MONEY_ROW_COLUMNS} FROM purchase WHERE id = ?`;
const SELECT_SETTLED_ROW = `SELECT ${SETTLED_ROW_COLUMNS} FROM purchase WHERE id = ?`;

/**
 * Runs a statement of `transitionSql`. Not with RETURNING, for whose row SQLite makes a table: it took more than twice what both statements take.
 * @returns the row as it is now. Null: it was in no state that the transition may come from
 */
function move<Row>(tx: Tx, sql: string, values: readonly SqlValue[], select: string, purchaseId: number): Row | null {
  return tx.changed(sql, ...values) ? (tx.get<Row>(select, purchaseId) as Row) : null;
}

const HOLDS_LEASE = "batch_id = (SELECT id FROM batch WHERE id = ? AND fence = ? AND state = 'leased')";

/** What a decision writes, but for the state. */
const DECIDED_COLUMNS = `run_id, site_id, page_id, url, batch_id, intent, format, policy_name, rule_index, rule_id, license_id,
       listing_id, quoted_micros, fee_micros, use_reserve_micros, currency, reports_fetch, reserved_at, last_mod, last_mod_at,
       valid_until_at, retention_ms`;

const COPY_DECISION = `INSERT INTO purchase (state, ${DECIDED_COLUMNS}) SELECT 'reserved', ${DECIDED_COLUMNS} FROM purchase WHERE id = ?`;

/**
 * A new row of the same decision, `reserved`: all that was decided is copied, with its date, so the same budget periods count it.
 * @returns its id
 */
export function copyDecision(tx: Tx, copiedId: number): number {
  const purchaseId = tx.insert(COPY_DECISION, copiedId);
  const row = tx.get<MoneyRow>(SELECT_MONEY_ROW, purchaseId) as MoneyRow;
  countPurchase(tx, { purchaseId, row, from: null, to: RESERVED, at: row.reservedAt });
  return purchaseId;
}

const RESERVED: Standing = { state: "reserved" };

/** A new row, `reserved`. */
export function insertPurchase(tx: Tx, { runRowId, siteId, batchId, request, approval, listingId }: NewPurchase): void {
  const { intent, format, policyName, now } = request;
  const { price, ruleIndex } = approval.verdict;
  const quote = price === null ? null : price.rate;
  const setAside = price === null ? NOTHING_SET_ASIDE : price.setAside;
  assertBug(price === null || price.cost.micros === setAsideMicros(setAside), "what the limits counted is set aside");
  const ruleText = request.ruleTexts[ruleIndex];
  assertBug(ruleText !== undefined, `policy ${policyName} has no rule ${ruleIndex + 1}`);
  const purchaseId = tx.insert(
    `INSERT INTO purchase (state, ${DECIDED_COLUMNS})
     VALUES ('reserved', ?, ?, ?, (SELECT coalesce(wire_url, url) FROM page WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    runRowId,
    siteId,
    approval.pageId,
    approval.pageId,
    batchId,
    intent,
    format,
    policyName,
    ruleIndex,
    tx.lookups.ruleId(ruleText),
    quote === null ? null : tx.lookups.licenseId(quote.license),
    listingId,
    setAside.quotedMicros,
    setAside.feeMicros,
    setAside.useReserveMicros,
    quote === null ? null : quote.price.currency,
    request.reportsFetch ? 1 : 0,
    now,
    approval.lastMod,
    approval.lastModAt,
    quote === null ? null : quote.validUntilAt,
    request.retentionMs ?? null,
  );
  const currency = quote === null ? null : quote.price.currency;
  const row = { ...setAside, runRowId, siteId, currency, reservedAt: now };
  countPurchase(tx, { purchaseId, row, from: null, to: RESERVED, at: now });
}

const START = transitionSql("start", { set: "started_at = ?, token = ?, token_expires_at = ?", where: HOLDS_LEASE });

/**
 * False when it is not reserved, or the lease is not its batch's newest: one compare-and-set (promise 3). It counts nothing: what is reserved
 * and what is started count the same.
 */
export function moveToStarted(tx: Tx, start: PurchaseStart & { readonly now: number }): boolean {
  const { leaseId, purchaseId, token, now } = start;
  const lease = parseLeaseId(leaseId);
  return (
    lease !== null && tx.changed(START, now, token.token, token.expiresAt, purchaseId, lease.batchId, lease.attempt)
  );
}

const RENEW = `UPDATE purchase SET token = ?, token_expires_at = ?
  WHERE id = ? AND state = '${TOKEN_STATE}' AND intent = 'indexing' AND ${HOLDS_LEASE}`;

/** Another token for an indexing purchase, which is not charged. A purchase that costs money keeps its token for life (promise 3). False when the lease is stale. */
export function renewIndexingToken(
  tx: Tx,
  { leaseId, purchaseId, token: { token, expiresAt } }: PurchaseStart,
): boolean {
  const lease = parseLeaseId(leaseId);
  return lease !== null && tx.changed(RENEW, token, expiresAt, purchaseId, lease.batchId, lease.attempt);
}

/** What comes with the content: its number, which follows the last one, and what the answer says. The earlier end of the license counts. */
const ANSWERED = `document_number = 1 + max(coalesce((SELECT max(document_number) FROM purchase WHERE document_number IS NOT NULL), 0),
         coalesce((SELECT through FROM documents_left_out), 0)),
       valid_until_at = coalesce(min(valid_until_at, ?), valid_until_at, ?), asked_at = ?`;

const NOTE_ANSWER = `UPDATE purchase SET ${ANSWERED} WHERE id = ?`;

/** Of a purchase whose charge was confirmed before its content came: what comes with the content. Its charge and its end stay as they are. */
export function noteAnswer(
  tx: Tx,
  { purchaseId, validUntilAt = null, askedAt, now }: Pick<Charge, "purchaseId" | "validUntilAt" | "askedAt" | "now">,
): void {
  // Without it, the retention of the content would count from the person's word (stored-at.ts).
  tx.run(NOTE_ANSWER, validUntilAt, validUntilAt, askedAt ?? now, purchaseId);
}

const CHARGED = `charged_micros = coalesce(?, quoted_micros), charged_fee_micros = ?, charged_currency = coalesce(?, currency),
       overcharged = coalesce((currency IS NOT ? AND ? > 0) OR ? > quoted_micros, 0), request_id = ?,
       ${ANSWERED}`;

const SETTLE = transitionSql("settle", { set: CHARGED });
const SETTLE_LATE = transitionSql("settleLate", { set: CHARGED, where: "state = ?" });

/**
 * Writes the charge. null where it cannot be settled so.
 * @param found how the purchase stands, as this transaction has read it
 */
export function moveToSettled(tx: Tx, settled: Charge, found: Standing = { state: "started" }): SettledRow | null {
  const { purchaseId, charge, feeMicros, requestId, validUntilAt = null, askedAt = null, now } = settled;
  const micros = charge === null ? null : charge.micros;
  const currency = charge === null ? null : charge.currency;
  const charged = [micros, feeMicros, currency, currency, micros, micros, requestId];
  const values = [...charged, validUntilAt, validUntilAt, askedAt, now, purchaseId];
  const row =
    found.state === "started"
      ? move<SettledRow>(tx, SETTLE, values, SELECT_SETTLED_ROW, purchaseId)
      : move<SettledRow>(tx, SETTLE_LATE, [...values, found.state], SELECT_SETTLED_ROW, purchaseId);
  if (row !== null) {
    countPurchase(tx, { purchaseId, row, from: found, to: { state: "settled" }, charge: toCharge(row), at: now });
  }
  return row;
}

function toCharge({ chargedMicros, chargedFeeMicros, chargedCurrency }: SettledRow) {
  return {
    currency: chargedCurrency,
    micros: addMicros(chargedMicros, chargedFeeMicros),
    feeMicros: chargedFeeMicros,
  };
}

const endSql = (by: TransitionName) => transitionSql(by, { set: "reason = ?, detail = ?" });

const RELEASE = { refuse: endSql("refuse"), withdraw: endSql("withdraw"), discard: endSql("discard") } as const;

/** What it set aside is free again. False when it was not reserved, or started where the reason may end that. */
export function moveToReleased(tx: Tx, { purchaseId, reason, detail, now }: Ending<ReleaseReason>): boolean {
  const values = [reason, detail, now, purchaseId];
  const row = move<MoneyRow>(tx, RELEASE[releaseBy(reason)], values, SELECT_MONEY_ROW, purchaseId);
  if (row !== null) {
    // Reserved or started: they count the same.
    countPurchase(tx, { purchaseId, row, from: RESERVED, to: { state: "released", reason }, at: now });
  }
  return row !== null;
}

const HOLD_IN_DOUBT = endSql("holdInDoubt");

/** All that it set aside counts as in doubt from now on. False when it was not started: a second call changes nothing. */
export function holdInDoubt(tx: Tx, { purchaseId, reason, detail, now }: Ending<DoubtReason>): boolean {
  const row = move<MoneyRow>(tx, HOLD_IN_DOUBT, [reason, detail, now, purchaseId], SELECT_MONEY_ROW, purchaseId);
  if (row !== null) {
    countPurchase(tx, { purchaseId, row, from: { state: "started" }, to: IN_DOUBT, at: now });
  }
  return row !== null;
}

const IN_DOUBT: Standing = { state: "in_doubt" };

/** A purchase in doubt that a person has resolved. */
export interface Resolving {
  readonly purchaseId: number;
  readonly charged: boolean;
  readonly now: number;
}

const RESOLVE_CHARGED = transitionSql("resolveCharged", {
  set: "charged_micros = quoted_micros, charged_fee_micros = fee_micros, charged_currency = currency",
});
const RESOLVE_NOT_CHARGED = transitionSql("resolveNotCharged", { set: "reason = 'resolved_not_charged'" });

/**
 * A purchase in doubt: charged as it was quoted, or not charged. What was set aside for the report of the fetch is freed either way: there is no
 * content, so there was no use.
 */
export function moveOutOfDoubt(tx: Tx, { purchaseId, charged, now }: Resolving): void {
  const to: Standing = charged ? { state: "settled" } : { state: "released", reason: "resolved_not_charged" };
  const sql = charged ? RESOLVE_CHARGED : RESOLVE_NOT_CHARGED;
  const row = move<SettledRow>(tx, sql, [now, purchaseId], SELECT_SETTLED_ROW, purchaseId);
  assertBug(row !== null, `purchase ${purchaseId} is resolved, but was not in doubt`);
  countPurchase(tx, { purchaseId, row, from: IN_DOUBT, to, charge: charged ? toCharge(row) : null, at: now });
}
