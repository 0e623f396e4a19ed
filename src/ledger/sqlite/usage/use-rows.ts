/**
 * The only file that writes uses: their rows, their states, and the entries that they are reported under. Each function that moves uses also writes
 * what the movement counts: balances, counters (account/use-accounts.ts). Called within a write.
 */
import { moveUse, type UseAmounts } from "../../../account/use-accounts.ts";
import { assertBug } from "../../../errors.ts";
import { type Micros, multiplyMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { UseKind, UseState } from "../../../usage/use.ts";
import { writeMovement } from "../money/write-movement.ts";
import type { ReadTx, Tx } from "../operation.ts";
import { IS_USE_OF_REPORT, PLAIN_RANGE } from "./report-ranges.ts";
import type { EntryIds } from "./report-rows.ts";

export interface NewUse {
  /** The caller's name for it; null: it has none. */
  readonly key: string | null;
  /** Null: it belongs to no run. */
  readonly runRowId: number | null;
  readonly siteId: number;
  readonly pageId: number;
  /** Null: its page was only indexed. */
  readonly purchaseId: number | null;
  readonly kind: UseKind;
  readonly times: number;
  readonly licenseId: number;
  readonly unitMicros: Micros;
  readonly currency: Currency;
  /** It is charged on its report: its expected price is set aside. */
  readonly billed: boolean;
  readonly state: Extract<UseState, "pending" | "not_reported">;
  readonly recordedAt: number;
  /** It counts in the budget periods of this instant. */
  readonly budgetAt: number;
  readonly usedAt: number;
}

/** @returns its id */
export function insertUse(tx: Tx, use: NewUse): number {
  const { runRowId, siteId, unitMicros, currency, times, billed, state, budgetAt } = use;
  const id = tx.insert`INSERT INTO use (key, run_id, site_id, page_id, purchase_id, kind, times, license_id, unit_micros, currency, billed, state,
     recorded_at, budget_at, used_at) VALUES (${use.key}, ${runRowId}, ${siteId}, ${use.pageId}, ${use.purchaseId}, ${use.kind}, ${times},
     ${use.licenseId}, ${unitMicros}, ${currency}, ${billed ? 1 : 0}, ${state}, ${use.recordedAt}, ${budgetAt}, ${use.usedAt})`;
  const amounts = billed ? { currency, expectedMicros: multiplyMicros(unitMicros, times), charge: null } : null;
  countUses(tx, { from: null, to: state, count: 1, amounts, places: [{ runRowId, siteId, at: budgetAt, count: 1 }] });
  return id;
}

/** A pending use goes into an entry of a report. False when it is not pending. */
export function enterUse(tx: Tx, useId: number, entryId: number): boolean {
  const { changes } =
    tx.run`UPDATE use SET state = 'batched', entry_id = ${entryId} WHERE id = ${useId} AND state = 'pending'`;
  countUses(tx, { from: "pending", to: "batched", count: changes });
  return changes === 1;
}

/** SQL: no use up to this one is pending. So the outbox needs no index of its own. */
export const USES_THROUGH = "(SELECT uses_through FROM flusher WHERE id = 1)";

/**
 * SQL: whether the use is in no plain report, whose uses are `pending` in their rows. Of the reports that begin before it, the last one: no two
 * have a use in common.
 */
export const isInNoPlainReport = (useId: string) => `${useId} > coalesce((
  SELECT r.first_use_id + r.last_entry_id - r.first_entry_id FROM usage_batch r WHERE r.first_use_id <= ${useId} ORDER BY r.first_use_id DESC LIMIT 1), 0)`;

const ENTER = `UPDATE use SET state = 'batched', entry_id = id + ? WHERE id > ${USES_THROUGH} AND id <= ? AND state = 'pending'
  AND ${isInNoPlainReport("use.id")}`;

/** Every pending use up to this one goes into the entry of its own. @returns how many */
export function enterPendingUses(tx: Tx, lastUseId: number, entryShift: number): number {
  const { changes } = tx.run(ENTER, entryShift, lastUseId);
  passUses(tx, lastUseId, changes);
  return changes;
}

/** Every pending use up to this one went into a report: so many did not before. */
export function passUses(tx: Tx, lastUseId: number, count: number): void {
  tx.run`UPDATE flusher SET uses_through = ${lastUseId} WHERE id = 1`;
  countUses(tx, { from: "pending", to: "batched", count });
}

const ENTER_PLAIN = `UPDATE use SET state = 'batched', entry_id = use.id - b.first_use_id + b.first_entry_id FROM usage_batch b
  WHERE b.id = ? AND use.id BETWEEN ${PLAIN_RANGE} AND use.state = 'pending'`;

/** The uses of a plain report name the entries that they have been in. They count as they did. @returns how many */
export function enterPlainUses(tx: Tx, reportId: number): number {
  return tx.run(ENTER_PLAIN, reportId).changes;
}

/** The uses of some entries of a report go over to the copies of these entries. They stay in a report. @returns how many */
export function enterCopies(tx: Tx, entryIds: EntryIds, entryShift: number): number {
  return tx.run`UPDATE use SET entry_id = entry_id + ${entryShift} WHERE state = 'batched'
     AND entry_id BETWEEN ${entryIds.first} AND ${entryIds.last}`.changes;
}

/** The uses of a report that name the same run and site. */
export interface UseCount {
  readonly runRowId: number | null;
  readonly siteId: number;
  readonly count: number;
  /** Of these, those that are charged on the report. */
  readonly billedCount: number;
}

// CROSS JOIN keeps the order of the tables: the report leads to its uses.
const SELECT_COUNTS = `SELECT u.run_id AS runRowId, u.site_id AS siteId, count(*) AS count, sum(u.billed) AS billedCount
  FROM usage_batch b CROSS JOIN use u ON ${IS_USE_OF_REPORT} WHERE b.id = ? GROUP BY u.run_id, u.site_id`;

/** What most reports need to know of their uses: who counts them, and that none is billed. */
export function readUseCounts(tx: ReadTx, reportId: number): UseCount[] {
  return tx.all<UseCount>(SELECT_COUNTS, reportId);
}

/** The uses of a report with one entry are refused for good. What is set aside for them stays so. */
export function rejectUses(tx: Tx, reportId: number): void {
  const places = readUseCounts(tx, reportId);
  const { changes } = tx.run`UPDATE use SET state = 'rejected'
    WHERE entry_id BETWEEN (SELECT first_entry_id FROM usage_batch WHERE id = ${reportId}) AND (SELECT last_entry_id FROM usage_batch WHERE id = ${reportId})
      AND state = 'batched'`;
  countUses(tx, { from: "batched", to: "rejected", count: changes, places });
}

/** They wait to be reported again, in no report. @returns how many */
export function freeRejectedUses(tx: Tx, reportId: number): number {
  const places = readUseCounts(tx, reportId);
  tx.run`UPDATE flusher SET uses_through = min(uses_through, coalesce((SELECT min(u.id) - 1 FROM usage_batch b CROSS JOIN use u
    ON u.entry_id BETWEEN b.first_entry_id AND b.last_entry_id WHERE b.id = ${reportId}), uses_through)) WHERE id = 1`;
  const { changes } = tx.run`UPDATE use SET state = 'pending', entry_id = NULL
    WHERE entry_id BETWEEN (SELECT first_entry_id FROM usage_batch WHERE id = ${reportId}) AND (SELECT last_entry_id FROM usage_batch WHERE id = ${reportId})
      AND state = 'rejected'`;
  countUses(tx, { from: "rejected", to: "pending", count: changes, places });
  return changes;
}

/** The state of the uses of a report that may still be taken. */
export type OpenUseState = Extract<UseState, "batched" | "rejected">;

/** A use that is charged on its report. */
export interface BilledUse {
  readonly id: number;
  readonly runRowId: number | null;
  readonly siteId: number;
  readonly currency: Currency;
  readonly expectedMicros: Micros;
  readonly budgetAt: number;
}

export function settleBilledUse(
  tx: Tx,
  { id, runRowId, siteId, currency, expectedMicros, budgetAt }: BilledUse,
  from: OpenUseState,
  charge: NonNullable<UseAmounts["charge"]>,
): void {
  const { changes } =
    tx.run`UPDATE use SET state = 'settled', charged_micros = ${charge.micros}, charged_currency = ${charge.currency} WHERE id = ${id}
      AND state = ${from}`;
  assertBug(changes === 1, `use ${id} has no report to settle`);
  const amounts = { currency, expectedMicros, charge };
  const places = [{ runRowId, siteId, at: budgetAt, count: 1 }];
  countUses(tx, { from, to: "settled", count: 1, amounts, places });
}

/** The uses of a plain report, with it: none of them is billed, and their rows stay. */
export function settlePlainUses(tx: Tx, places: readonly UseCount[]): void {
  const count = places.reduce((sum, place) => sum + place.count, 0);
  countUses(tx, { from: "batched", to: "settled", count, places });
}

/**
 * Settles the uses of a report that are not billed, however many, by the range of its entries' ids: nothing else lies in it
 * (outbox.ts). Their number, counted by report, is the proof.
 */
export function settleUnbilledUses(tx: Tx, entryIds: EntryIds, from: OpenUseState, counts: readonly UseCount[]): void {
  const places = counts.map(({ count, billedCount, ...place }) => ({ ...place, count: count - billedCount }));
  const unbilled = places.reduce((sum, { count }) => sum + count, 0);
  const { changes } =
    tx.run`UPDATE use INDEXED BY use_by_entry SET state = 'settled' WHERE entry_id BETWEEN ${entryIds.first}
    AND ${entryIds.last} AND billed = 0 AND state = ${from}`;
  assertBug(changes === unbilled, `${changes} unbilled uses were settled for the ${unbilled} of a usage report`);
  countUses(tx, { from, to: "settled", count: changes, places });
}

interface UseMove {
  /** Null: they are recorded just now. */
  readonly from: UseState | null;
  readonly to: UseState;
  readonly count: number;
  /** Of a use that is billed; a move of several has none. */
  readonly amounts?: UseAmounts | null;
  /** Who counts how many of them. Absent: no run and no balance counts the move. */
  readonly places?: readonly {
    readonly runRowId: number | null;
    readonly siteId: number;
    readonly at?: number;
    readonly count: number;
  }[];
}

function countUses(tx: Tx, { from, to, count, amounts = null, places = [] }: UseMove): void {
  if (from !== null) {
    tx.counters.addToLedger(`use_${from}`, -count);
  }
  tx.counters.addToLedger(`use_${to}`, count);
  const movement = moveUse(amounts, from, to);
  for (const { count: times, at = 0, ...place } of places) {
    writeMovement(tx, movement, { ...place, at }, times);
  }
}
