/** Promise 1, the cache: each balance row says what the rows of money add up to, and no row is missing. */
import { checksOf } from "./audited.ts";
import type { RecomputedBalance } from "./recompute-balances.ts";

const AMOUNTS = [
  "reservedMicros",
  "inDoubtMicros",
  "settledMicros",
  "feeMicros",
  "boughtPages",
  "failedPages",
  "allowedMicros",
  "reportedMicros",
] as const;

type Kept = Pick<RecomputedBalance, "scope" | "period" | "currency" | (typeof AMOUNTS)[number]>;

const SELECT_KEPT =
  "SELECT scope, period, currency, reserved_micros AS reservedMicros, in_doubt_micros AS inDoubtMicros, settled_micros AS settledMicros, fee_micros AS feeMicros, bought_pages AS boughtPages, failed_pages AS failedPages, allowed_micros AS allowedMicros, reported_micros AS reportedMicros FROM balance ORDER BY scope, period, currency";

export const BALANCES = checksOf(1, [
  ({ db, sumBalances }) => compareBalances(db.prepare<[], Kept>(SELECT_KEPT).all(), sumBalances()),
]);

function* compareBalances(kept: readonly Kept[], recomputed: readonly Kept[]): Iterable<string> {
  const byKey = new Map(recomputed.map((balance) => [nameOf(balance), balance]));
  for (const balance of kept) {
    const name = nameOf(balance);
    yield* compare(name, balance, byKey.get(name));
    byKey.delete(name);
  }
  for (const [name, balance] of byKey) {
    yield* compare(name, undefined, balance);
  }
}

function* compare(name: string, kept: Kept | undefined, recomputed: Kept | undefined): Iterable<string> {
  for (const amount of AMOUNTS) {
    const [is, shouldBe] = [kept?.[amount] ?? 0, recomputed?.[amount] ?? 0];
    if (is !== shouldBe) {
      yield `the balance of ${name} says ${amount} ${is}, the rows add up to ${shouldBe}`;
    }
  }
}

function nameOf({ scope, period, currency }: Kept): string {
  return `${scope}, ${period} in ${currency}`;
}
