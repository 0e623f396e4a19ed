/** The uses under the entries of a usage report, as an answer needs them. */

import { assertBug } from "../../../errors.ts";
import { addMicros, type Micros, multiplyMicros, toMicros, ZERO_MICROS } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import { splitMicros } from "../../../money/split-micros.ts";
import type { EntryCharge } from "../../../usage/check-receipt.ts";
import type { UsageEntry } from "../../usage-ledger.ts";
import type { Tx } from "../tx.ts";
import type { ReportState } from "./outbox.ts";

export interface EntryUse {
  readonly id: number;
  readonly entryId: number;
  readonly siteId: number;
  readonly runRowId: number | null;
  readonly times: number;
  readonly unitMicros: number;
  readonly currency: string;
  /** 1 when it is charged on the report. */
  readonly billed: number;
  readonly budgetAt: number;
}

/** The uses of a report that name the same run and site. */
export interface UseCount {
  readonly runRowId: number | null;
  readonly siteId: number;
  readonly count: number;
  /** Of these, those that are charged on the report. */
  readonly billedCount: number;
}

// CROSS JOIN keeps the order of the tables: the entries of the report lead to their uses.
const USES_OF_BATCH = "usage_entry e CROSS JOIN use u ON u.entry_id = e.id WHERE e.batch_id = ?";

const SELECT_COUNTS = `SELECT u.run_id AS runRowId, u.site_id AS siteId, count(*) AS count, sum(u.billed) AS billedCount
  FROM ${USES_OF_BATCH} GROUP BY u.run_id, u.site_id`;

const SELECT_USES = `SELECT u.id, u.entry_id AS entryId, u.site_id AS siteId, u.run_id AS runRowId, u.times, u.unit_micros AS unitMicros, u.currency,
         u.billed, u.budget_at AS budgetAt
  FROM ${USES_OF_BATCH} ORDER BY e.position, u.id`;

/** Canonical URL of an entry's page. */
export function readPageUrl(tx: Tx, entryId: number): string {
  return tx.value<string>(
    "SELECT p.url FROM usage_entry e JOIN page p ON p.id = e.page_id WHERE e.id = ?",
    entryId,
  ) as string;
}

/** What most reports need to know of their uses: who counts them, and that none is billed. */
export function countUses(tx: Tx, reportId: number): UseCount[] {
  return tx.all<UseCount>(SELECT_COUNTS, reportId);
}

/** By entry, oldest first. One query: a report has hundreds of entries, most of them with one use. */
export function readUses(tx: Tx, reportId: number): ReadonlyMap<number, readonly EntryUse[]> {
  const uses = new Map<number, EntryUse[]>();
  for (const use of tx.all<EntryUse>(SELECT_USES, reportId)) {
    const own = uses.get(use.entryId);
    if (own === undefined) {
      uses.set(use.entryId, [use]);
    } else {
      own.push(use);
    }
  }
  return uses;
}

/** Settling the uses of a report that was taken: what those that are billed come to, and all others with them. Called within a write. */
export interface UsesSettlement {
  readonly reportId: number;
  /** All of the report, in order. */
  readonly entries: readonly UsageEntry[];
  /** The state that the report leaves. */
  readonly before: ReportState;
  /** What an entry comes to. @param billed whether any of its uses is charged on the report */
  readonly toCharge: (entry: UsageEntry, billed: boolean) => Pick<EntryCharge, "totalMicros" | "currency">;
}

/**
 * An entry's total is spread over its uses so that their sum is the gateway's, to the micro. What is not billed carries no money, so
 * all of it is settled by one statement. @returns what the billed ones came to
 */
export function settleUses(
  tx: Tx,
  { reportId, entries, before, toCharge }: UsesSettlement,
): ReadonlyMap<Currency, Micros> {
  const counts = countUses(tx, reportId);
  const hasBilled = counts.some(({ billedCount }) => billedCount > 0);
  const charged = new Map<Currency, Micros>();
  const uses = hasBilled ? readUses(tx, reportId) : new Map<number, readonly EntryUse[]>();
  for (const entry of entries) {
    const own = uses.get(entry.entryId) ?? [];
    const billed = own.some(isBilled);
    const charge = toCharge(entry, billed);
    if (billed) {
      const micros = chargeUses(tx, own, charge);
      charged.set(charge.currency, addMicros(charged.get(charge.currency) ?? ZERO_MICROS, micros));
    }
  }
  settleUnbilled(tx, entries, counts);
  countReported(tx, counts, before);
  return charged;
}

function isBilled({ billed }: EntryUse): boolean {
  return billed === 1;
}

const SETTLE_USE =
  "UPDATE use SET state = 'settled', charged_micros = ?, charged_currency = ? WHERE id = ? AND state IN ('batched', 'rejected')";

/** Spreads what an entry comes to over all its uses, and books the share of those that are billed. @returns the sum of these */
function chargeUses(
  tx: Tx,
  uses: readonly EntryUse[],
  { totalMicros, currency: chargedCurrency }: Pick<EntryCharge, "totalMicros" | "currency">,
): Micros {
  const shares = splitMicros(
    totalMicros,
    uses.map(({ times }) => times),
  );
  let booked = ZERO_MICROS;
  for (const [index, use] of uses.entries()) {
    if (!isBilled(use)) {
      continue;
    }
    const { id, siteId, runRowId, times, unitMicros, currency, budgetAt } = use;
    const share = shares[index] as Micros;
    const host = tx.hosts.hostOf(siteId);
    const movement = { host, runId: runRowId === null ? null : tx.runs.nameOf(runRowId), at: budgetAt };
    tx.balances.account({ ...movement, currency }).reservedMicros -= multiplyMicros(toMicros(unitMicros), times);
    tx.balances.account({ ...movement, currency: chargedCurrency }).settledMicros += share;
    assertBug(tx.run(SETTLE_USE, share, chargedCurrency, id).changes === 1, `use ${id} has no report to settle`);
    booked = addMicros(booked, share);
  }
  return booked;
}

/**
 * Settles the uses of a report that are not billed, however many, by the range of its entries' ids: nothing else lies in it
 * (outbox.ts). Their number, counted by report, is the proof.
 */
function settleUnbilled(tx: Tx, entries: readonly UsageEntry[], counts: readonly UseCount[]): void {
  const unbilled = counts.reduce((sum, { count, billedCount }) => sum + count - billedCount, 0);
  const { changes } = tx.run(
    `UPDATE use INDEXED BY use_by_entry SET state = 'settled'
     WHERE entry_id BETWEEN ? AND ? AND billed = 0 AND state IN ('batched', 'rejected')`,
    entries[0]?.entryId ?? 0,
    entries.at(-1)?.entryId ?? 0,
  );
  assertBug(changes === unbilled, `${changes} unbilled uses were settled for the ${unbilled} of a usage report`);
}

function countReported(tx: Tx, counts: readonly UseCount[], before: ReportState): void {
  for (const { runRowId, siteId, count } of counts) {
    if (runRowId === null) {
      continue;
    }
    tx.counters.add({ runRowId, siteId, kind: "use_reported" }, count);
    if (before === "rejected") {
      tx.counters.add({ runRowId, siteId, kind: "use_rejected" }, -count);
    }
  }
}
