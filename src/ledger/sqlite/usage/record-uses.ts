import { type BalanceKeyInCurrency, coveringBudgets, fitsBudget } from "../../../budget/covering-budgets.ts";
import { headroom } from "../../../budget/headroom.ts";
import { assertBug, LicetError } from "../../../errors.ts";
import { type Micros, toMicros } from "../../../money/micros.ts";
import { isBilled, isUseCount, MAX_USE_TIMES, type ReportingTerms } from "../../../usage/use.ts";
import type { RecordedUse, RecordUses, UseRecord } from "../../usage-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { countableHeadroom } from "../money/balance-book.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";
import { findLapseOfPage } from "../rights/lapsed-rights.ts";
import { openItem } from "./open-items.ts";
import type { UseLicense } from "./use-license.ts";
import { findUseLicense } from "./use-license.ts";
import { insertUse } from "./use-rows.ts";

interface PageRow {
  readonly id: number;
  readonly siteId: number;
  readonly storedPurchaseId: number | null;
}

type RefusalReason = Extract<RecordedUse, { kind: "refused" }>["reason"];

/** How a use is written: what it costs, and whether that is set aside now. */
interface Booking extends UseLicense {
  readonly page: PageRow;
  readonly host: string;
  readonly isReported: boolean;
  readonly billed: boolean;
  readonly amountMicros: Micros;
}

/**
 * Records later uses of stored pages. Reads page and purchase; writes uses, what is reserved for those that are billed, and
 * an open item for each budget that they pass (promise 1). All records or none. Idempotent by key; a use without one is new
 * each time (promise 5: recorded once is then the caller's word).
 */
export async function recordUses(core: LedgerCore, record: Asked<"recordUses">): Promise<Answered<"recordUses">> {
  for (const use of record.uses) {
    assertCountable(use);
  }
  try {
    return await core.write((tx) => {
      const recorded = record.uses.map((use) => recordOne(tx, use, record));
      if (record.dryRun === true) {
        throw new DryRun(recorded);
      }
      return recorded;
    });
  } catch (error) {
    if (error instanceof DryRun) {
      return error.recorded;
    }
    throw error;
  }
}

function fitsBalance(tx: Tx, { currency, amountMicros }: Booking) {
  return amountMicros <= countableHeadroom(tx.balances, currency);
}

function recordOne(tx: Tx, use: UseRecord, record: RecordUses): RecordedUse {
  const keyed = findKeyed(tx, use);
  if (keyed !== "new") {
    return keyed === "same" ? { kind: "repeated" } : { kind: "refused", reason: "other_use" };
  }
  const booking = book(tx, use, record);
  if (typeof booking === "string") {
    return { kind: "refused", reason: booking };
  }
  if (booking.billed && !fitsBalance(tx, booking)) {
    return { kind: "refused", reason: "uncountable" };
  }
  if (booking.billed && record.refuseOverBudget === true && passes(tx, booking, record)) {
    return { kind: "refused", reason: "over_budget" };
  }
  const useId = insert(tx, use, booking, record.now);
  const lapse = findLapseOfPage(tx, booking.page.id, record.expiry, use.usedAt);
  if (!booking.billed) {
    return { kind: "recorded", useId, reserved: null, overBudget: false, lapse };
  }
  const overBudget = flagOverBudget(tx, booking, record);
  const { amountMicros: micros, currency } = booking;
  return { kind: "recorded", useId, reserved: { micros, currency }, overBudget, lapse };
}

/** Rolls its transaction back, and carries out what it would have done. */
class DryRun extends Error {
  readonly recorded: readonly RecordedUse[];
  constructor(recorded: readonly RecordedUse[]) {
    super("a dry run");
    this.recorded = recorded;
  }
}

/** Whether a use's key is new, names the same use, or another one. */
function findKeyed(tx: ReadTx, { key, url, times, usedAt, isUndated = false }: UseRecord): "new" | "same" | "other" {
  const known =
    key === null
      ? undefined
      : tx.get<Pick<UseRecord, "url" | "times" | "usedAt">>`
          SELECT p.url, u.times, u.used_at AS usedAt FROM use u JOIN page p ON p.id = u.page_id WHERE u.key = ${key}`;
  if (known === undefined) {
    return "new";
  }
  const isSame = known.url === url && known.times === times && (isUndated || known.usedAt === usedAt);
  return isSame ? "same" : "other";
}

/** Whether a use would pass a budget that covers it. */
function passes(tx: ReadTx, { host, currency, amountMicros }: Booking, { budgets, now }: RecordUses): boolean {
  return (
    amountMicros > 0 &&
    coveringBudgets(budgets, { host, runId: null, at: now }, currency).some(
      ({ budget, key }) => !fitsBudget(budget, tx.balances.read(key), { micros: amountMicros, currency }),
    )
  );
}

/** @throws LicetError INPUT_INVALID */
function assertCountable({ url, times, usedAt, terms }: UseRecord): void {
  if (!isUseCount(times)) {
    throw new LicetError("INPUT_INVALID", `${times} is not a count of uses: ${url}`, {
      hint: `Give a whole number from 1 to ${MAX_USE_TIMES}.`,
      details: { url },
    });
  }
  assertBug(Number.isSafeInteger(usedAt), `${usedAt} is not an instant in epoch ms`);
  assertBug(
    terms === null || terms.license.licenseType !== "CUSTOM_LICENSE" || terms.license.cuid !== null,
    "a use under a custom licence names it",
  );
}

function book(tx: ReadTx, use: UseRecord, { terms, defaultTerms }: RecordUses): Booking | RefusalReason {
  const page = tx.get<PageRow>`SELECT id, site_id AS siteId, held_purchase_id AS storedPurchaseId FROM page WHERE url = ${use.url}`;
  if (page === undefined || page.storedPurchaseId === null) {
    return "not_stored";
  }
  const license = findUseLicense(tx, page.id, page.storedPurchaseId) ?? toUseLicense(use);
  if (license === null) {
    return "needs_terms";
  }
  const amount = license.unitMicros * use.times;
  if (!Number.isSafeInteger(amount)) {
    return "uncountable";
  }
  const host = tx.hosts.hostOf(page.siteId);
  const reporting: ReportingTerms = terms?.get(host) ?? defaultTerms;
  return {
    ...license,
    page,
    host,
    isReported: reporting.kinds.includes("use"),
    billed: isBilled("use", reporting),
    amountMicros: toMicros(amount),
  };
}

/** The license of a page that was only indexed, as the policy picked it. */
function toUseLicense({ terms }: UseRecord): UseLicense | null {
  return terms === null ? null : { ...terms, purchaseId: null };
}

function insert(
  tx: Tx,
  { key, times, usedAt }: UseRecord,
  { page, purchaseId, license, unitMicros, currency, billed, isReported }: Booking,
  now: number,
): number {
  return insertUse(tx, {
    key,
    runRowId: null,
    siteId: page.siteId,
    pageId: page.id,
    purchaseId,
    kind: "use",
    times,
    licenseId: tx.lookups.licenseId(license),
    unitMicros,
    currency,
    billed,
    state: isReported ? "pending" : "not_reported",
    recordedAt: now,
    budgetAt: now,
    usedAt,
  });
}

/** Of a billed use whose money is set aside: an open item for each budget that covers it and is passed now. @returns whether one is */
function flagOverBudget(tx: Tx, { host, currency, amountMicros }: Booking, { budgets, now }: RecordUses): boolean {
  const movement = { host, runId: null, at: now };
  let overBudget = false;
  const covering = amountMicros === 0 ? [] : coveringBudgets(budgets, movement, currency);
  for (const { budget, key } of covering) {
    if (headroom(budget, tx.balances.read(key)) < toMicros(0)) {
      overBudget = true;
      const detail = describeOverBudget(key);
      openItem(tx, { kind: "over_budget_use", about: { balance: key }, detail, url: null, count: 1, at: now });
    }
  }
  return overBudget;
}

/** The words of an `over_budget_use` item, for people: the balance that it flags is in its columns. */
function describeOverBudget({ scope, period, currency }: BalanceKeyInCurrency): string {
  return `uses that had to be recorded exceeded the budget of ${scope}, ${period}, in ${currency}: nothing more is bought under it`;
}
