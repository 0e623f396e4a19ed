/**
 * Promise 1: for every budget, at every instant, in every currency: settled + in doubt + reserved ≤ limit. Two things may still pass a
 * limit: a charge above the token's cap, and a use that has happened. (Late content for a released purchase is the third,
 * by decision 0009.) So a limit is checked where money is set aside, when a purchase appears. An existing purchase must never count
 * more than before, except in those three cases.
 */
import type { ScenarioFee, Settings } from "../scenario.ts";
import { findMisfit } from "./budgets.ts";
import type { Evidence, StepRule, Violation } from "./evidence.ts";
import type { Change, History, Step } from "./history.ts";
import type { PurchaseRow, UseRow } from "./ledger-rows.ts";
import { countPurchase, countUse, placesOfPurchase, placesOfUse, totalOf } from "./money.ts";
import { createRunLimits } from "./run-limits.ts";
import { inForce } from "./settings.ts";
import { add, addAt, difference, type Sums } from "./sums.ts";

export function createNoOverspend(evidence: Evidence, history: History): StepRule {
  const { db, overchargedUrls } = evidence;
  const exposure: Sums = new Map();
  const judgeNew = createNewPurchaseRules(evidence);
  const readKept = db
    .prepare<[], [string, number]>(
      "SELECT currency, reserved_micros + in_doubt_micros + settled_micros FROM balance WHERE scope = 'all' AND period = 'total'",
    )
    .raw();
  return (step) => {
    // By how much this commit raises a balance with facts that cannot be refused any more.
    const unavoidable: Sums = new Map();
    bookUses(exposure, unavoidable, step);
    for (const { row, growth, isExcused } of bookPurchases(exposure, history, step, overchargedUrls)) {
      for (const [currency, micros] of growth) {
        // An existing purchase never counts more than before, except for an overcharge, a charged use, or late content.
        if (micros > 0 && !isExcused) {
          return broken("exposure-never-grows", `purchase ${row.id} counts ${micros} ${currency} more than before`);
        }
        addAt(unavoidable, placesOfPurchase(row), currency, Math.max(0, micros));
      }
    }
    const counts = (place: string) => (exposure.get(place) ?? 0) - (unavoidable.get(place) ?? 0);
    for (const change of step.purchases) {
      const isNew = change.before === null && !isCopy(change.now, step);
      const violation = (isNew ? judgeNew(change.now, counts) : null) ?? judgeHalt(change, history);
      if (violation !== null) {
        return violation;
      }
    }
    for (const [currency, kept] of readKept.all()) {
      // The balance that budgets are checked against is the sum of the rows.
      const own = exposure.get(`all total ${currency}`) ?? 0;
      if (kept !== own) {
        return broken("balance-is-the-sum", `the ledger counts ${kept} ${currency} in all, its rows add up to ${own}`);
      }
    }
    return null;
  };
}

/** A charge above the token's cap halts its site: from then on its run decides and sends nothing more there. */
function judgeHalt({ before, now }: Change<PurchaseRow>, { purchases }: History): Violation | null {
  const isBuying = before === null || (before.state === "reserved" && now.state === "started");
  const isCause = ({ overcharged, runId, host }: PurchaseRow) =>
    overcharged === 1 && runId === now.runId && host === now.host;
  const cause = isBuying ? [...purchases.values()].find(isCause) : undefined;
  return cause === undefined
    ? null
    : broken(
        "overcharge-halts-its-site",
        `purchase ${now.id} is ${now.state} after purchase ${cause.id} was overcharged`,
      );
}

function createNewPurchaseRules(evidence: Evidence) {
  const judgeLimits = createRunLimits(evidence);
  const readLimitCurrency = evidence.db
    .prepare<[number], string | null>("SELECT max_spend_currency FROM run WHERE id = ?")
    .pluck();
  return (row: PurchaseRow, counts: (place: string) => number): Violation | null => {
    const misfit = judgeLimits(row, counts);
    if (misfit !== null) {
      return misfit;
    }
    const current = inForce(evidence);
    // With `billed: [fetch, use]` a fetch reserves its price twice (design § Budgets).
    if (!current.some((settings) => row.useReserve === (paysTwice(settings) ? row.quoted : 0))) {
      return broken("use-is-set-aside", `purchase ${row.id} sets ${row.useReserve} aside for the report of its fetch`);
    }
    if (!current.some(({ fee }) => row.fee === feeOf(row, fee))) {
      return broken("fee-is-set-aside", `purchase ${row.id} of ${row.quoted} sets ${row.fee} aside for the fee`);
    }
    if (row.currency === null || totalOf(countPurchase(row)) === 0) {
      return null;
    }
    // When money is set aside, every budget that covers it (all, its site, its run; in its period) holds it.
    const limitCurrency = readLimitCurrency.get(row.runId) ?? null;
    const misfits = current.map(({ budgets }) => findMisfit(row, budgets, counts, limitCurrency));
    return misfits.includes(null)
      ? null
      : broken("fits-every-budget", `purchase ${row.id}: ${misfits.at(-1) ?? "there are no budgets"}`);
  };
}

/**
 * A page whose token was not used is reserved anew in the commit that releases it, in the same budget periods (decision 0081). It sets nothing more
 * aside, so it is not refused where an overcharge or a use has passed the limit since it was decided.
 */
function isCopy(row: PurchaseRow, { purchases }: Step): boolean {
  return purchases.some(
    ({ before, now }) =>
      before?.state === "started" &&
      now.reason === "token_unused" &&
      now.url === row.url &&
      now.runId === row.runId &&
      now.reservedAt === row.reservedAt &&
      totalOf(countPurchase(before)) === totalOf(countPurchase(row)),
  );
}

function paysTwice({ reportedKinds, billedKinds }: Settings): boolean {
  return reportedKinds.includes("fetch") && billedKinds.includes("fetch");
}

/** The share is rounded up; the amount counts on rates in its own currency. */
function feeOf({ intent, quoted, currency }: PurchaseRow, fee: ScenarioFee | null): number {
  if (fee === null || intent === "indexing") {
    return 0;
  }
  const fixed = fee.fixed?.currency === currency ? fee.fixed.micros : 0;
  return Math.ceil((quoted * fee.ppm) / 1_000_000) + fixed;
}

/** A later use that has happened is recorded, and charged on its report, whatever the budgets say. */
function bookUses(exposure: Sums, unavoidable: Sums, step: Step): void {
  for (const { before, now } of step.uses) {
    for (const [currency, micros] of difference(before && countUse(before), countUse(now))) {
      addAt(exposure, placesOfUse(now), currency, micros);
      addAt(unavoidable, placesOfUse(now), currency, now.kind === "use" ? Math.max(0, micros) : 0);
    }
  }
}

interface Growth {
  readonly row: PurchaseRow;
  /** What the purchase, with the use that its fetch is, counts more than before. */
  readonly growth: Sums;
  readonly isExcused: boolean;
}

function bookPurchases(
  exposure: Sums,
  { purchases }: History,
  step: Step,
  overchargedUrls: ReadonlySet<string>,
): Growth[] {
  const fetches = new Map(step.uses.filter(({ now }) => now.kind === "fetch").map((use) => [use.now.purchaseId, use]));
  const changes = new Map<number, Change<PurchaseRow>>(step.purchases.map((change) => [change.now.id, change]));
  for (const purchaseId of fetches.keys()) {
    const row = purchases.get(purchaseId ?? 0);
    if (row !== undefined && !changes.has(row.id)) {
      changes.set(row.id, { before: row, now: row });
    }
  }
  const growths: Growth[] = [];
  for (const { before, now } of changes.values()) {
    const growth = difference(before && countPurchase(before), countPurchase(now));
    for (const [currency, micros] of growth) {
      addAt(exposure, placesOfPurchase(now), currency, micros);
    }
    if (before !== null) {
      const fetch = fetches.get(now.id);
      if (fetch !== undefined) {
        difference(fetch.before && countUse(fetch.before), countUse(fetch.now)).forEach((micros, currency) => {
          add(growth, currency, micros);
        });
      }
      growths.push({ row: now, growth, isExcused: isExcused({ before, now }, fetch, overchargedUrls) });
    }
  }
  return growths;
}

function isExcused(
  { before, now }: { readonly before: PurchaseRow; readonly now: PurchaseRow },
  fetch: Change<UseRow> | undefined,
  overchargedUrls: ReadonlySet<string>,
): boolean {
  const wasOvercharged = now.overcharged === 1 && overchargedUrls.has(now.url);
  const wasLate =
    now.hasContent === 1 && before.hasContent === 0 && (before.state === "released" || before.state === "settled");
  return wasOvercharged || wasLate || fetch?.now.state === "settled";
}

function broken(rule: string, detail: string): Violation {
  return { promise: 1, rule, detail };
}
