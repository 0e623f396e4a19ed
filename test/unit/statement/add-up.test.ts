import fc from "fast-check";
import { expect, test } from "vitest";
import type { Micros } from "../../../src/money/micros.ts";
import { addUpStatement } from "../../../src/statement/add-up.ts";
import { BOOKING_KINDS } from "../../../src/statement/booking.ts";
import type { StatementFacts } from "../../../src/statement/statement-facts.ts";

const micros = fc.integer({ min: 0, max: 1_000_000_000 }) as fc.Arbitrary<Micros>;
const group = fc.constantFrom("a.example", "b.example", null);
const currency = fc.constantFrom("USD", "EUR");
const budgetMonth = fc.constantFrom("2026-10", "2026-11");
const count = fc.integer({ min: 1, max: 9 });

const facts: fc.Arbitrary<StatementFacts> = fc.record({
  purchases: fc.array(
    fc.record({
      kind: fc.constantFrom(...BOOKING_KINDS.filter((kind) => kind !== "report_taken")),
      intent: fc.constant("content" as const),
      byOperator: fc.boolean(),
      group,
      currency,
      chargedCurrency: currency,
      budgetMonth,
      pages: count,
      setAsideMicros: micros,
      chargedMicros: micros,
      feeMicros: micros,
    }),
  ),
  openDoubts: fc.array(
    fc.record({
      at: fc.constantFrom("start" as const, "end" as const),
      group,
      currency,
      pages: count,
      setAsideMicros: micros,
    }),
  ),
  uses: fc.array(
    fc
      .record({
        kind: fc.constantFrom("fetch" as const, "use" as const),
        group,
        currency,
        chargedCurrency: fc.option(currency, { nil: null }),
        budgetMonth,
        times: count,
        expectedMicros: micros,
        chargedMicros: micros,
      })
      .map((use) => (use.chargedCurrency === null ? { ...use, chargedMicros: 0 as Micros } : use)),
  ),
  receipts: fc.constant([]),
  lastOfMonthAt: fc.constant(null),
  lastBookedAt: fc.constant(null),
});

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

/** Every number of a value, in order. */
function numbersOf(value: unknown): number[] {
  if (typeof value === "number") {
    return [value];
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersOf) : [];
}

test("each figure of the totals is the sum of its figures in the lines of its currency", () => {
  fc.assert(
    fc.property(facts, (some) => {
      const { lines, totals } = addUpStatement(some);
      for (const { currency: of, receiptsMicros, budgetMonths, ...figures } of totals) {
        const own = lines.filter((line) => line.currency === of).map(({ group: _, ...line }) => numbersOf(line));
        expect(numbersOf(figures)).toEqual(
          numbersOf(figures).map((_, index) => sum(own.map((line) => line[index] ?? 0))),
        );
      }
    }),
  );
});

test("the charges are each counted once: in the total of their currency, and in the month of one budget", () => {
  fc.assert(
    fc.property(facts, (some) => {
      const charges = some.purchases.filter(({ kind }) => /charged/.test(kind) && kind !== "doubt_not_charged");
      const { totals } = addUpStatement(some);
      for (const of of ["USD", "EUR"]) {
        const own = totals.find((one) => one.currency === of);
        const shouldBe = sum([
          ...charges
            .filter(({ chargedCurrency }) => chargedCurrency === of)
            .map((one) => one.chargedMicros + one.feeMicros),
          ...some.uses.filter(({ chargedCurrency }) => chargedCurrency === of).map((one) => one.chargedMicros),
        ]);
        expect((own?.total.chargedMicros ?? 0) + (own?.total.feeMicros ?? 0)).toBe(shouldBe);
        expect(sum((own?.budgetMonths ?? []).map((one) => one.spentMicros))).toBe(shouldBe);
      }
    }),
  );
});

test("lines and totals do not depend on the order of the facts", () => {
  fc.assert(
    fc.property(facts, (some) => {
      const turned = { ...some, purchases: some.purchases.toReversed(), uses: some.uses.toReversed() };
      expect(JSON.stringify(addUpStatement(turned))).toBe(JSON.stringify(addUpStatement(some)));
    }),
  );
});
