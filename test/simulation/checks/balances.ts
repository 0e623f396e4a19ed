/** Promise 1, the balances: what the ledger keeps of every scope and period is what its rows add up to. */
import type { Evidence, Violation } from "./evidence.ts";
import { prepareLedgerRows } from "./ledger-rows.ts";
import { type Counted, countPurchase, countUse, placesOfPurchase, placesOfUse } from "./money.ts";

const AMOUNTS = ["reserved", "inDoubt", "settled", "fee"] as const;
type Amounts = Record<(typeof AMOUNTS)[number], number>;

export function endBalances({ db }: Pick<Evidence, "db">): Violation[] {
  const rows = prepareLedgerRows(db);
  const own = new Map<string, Amounts>();
  const count = (places: readonly string[], counted: Counted | null) => {
    for (const place of counted === null ? [] : places) {
      const key = `${place} ${counted?.currency}`;
      const sums = own.get(key) ?? { reserved: 0, inDoubt: 0, settled: 0, fee: 0 };
      for (const amount of AMOUNTS) {
        sums[amount] += counted?.[amount] ?? 0;
      }
      own.set(key, sums);
    }
  };
  for (const row of rows.purchases.all()) {
    count(placesOfPurchase(row), countPurchase(row));
  }
  for (const row of rows.uses.all()) {
    count(placesOfUse(row), countUse(row));
  }
  const kept = new Map(readKept(db).map(({ key, ...amounts }) => [key, amounts]));
  return [...new Set([...own.keys(), ...kept.keys()])].flatMap((key) =>
    AMOUNTS.flatMap((amount): Violation[] => {
      const [is, shouldBe] = [kept.get(key)?.[amount] ?? 0, own.get(key)?.[amount] ?? 0];
      const detail = `${key}: ${amount} is kept as ${is}, the rows add up to ${shouldBe}`;
      return is === shouldBe ? [] : [{ promise: 1, rule: "balance-is-the-sum", detail }];
    }),
  );
}

function readKept(db: Evidence["db"]): (Amounts & { readonly key: string })[] {
  return db
    .prepare<[], Amounts & { readonly key: string }>(
      `SELECT scope || ' ' || period || ' ' || currency AS key, reserved_micros AS reserved, in_doubt_micros AS inDoubt,
         settled_micros AS settled, fee_micros AS fee FROM balance`,
    )
    .all();
}
