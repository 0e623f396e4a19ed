/** What the orders buy, against every choice that the limits allow: on small worlds all of them can be tried. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Budget } from "../../../src/budget/budget.ts";
import { type BuyingLimits, createBuyingLimits } from "../../../src/budget/limits.ts";
import { chooseMostValue, type ValuedPage } from "../../../src/budget/most-value.ts";
import { toMicros } from "../../../src/money/micros.ts";
import { createRandom } from "../../../src/sandbox/random.ts";

const HOSTS = ["a.example", "b.example"];
const ZERO = toMicros(0);

const page = fc.record({
  host: fc.constantFrom(...HOSTS),
  cost: fc.record({ micros: fc.integer({ min: 1, max: 60 }).map(toMicros), currency: fc.constantFrom("USD", "EUR") }),
  value: fc.integer({ min: 1, max: 100 }),
});
const budget = fc.record({
  scope: fc.constantFrom<Budget["scope"]>(
    { kind: "all" },
    { kind: "run" },
    { kind: "site", host: "a.example" },
    { kind: "site", host: "b.example" },
  ),
  period: fc.constantFrom<Budget["period"]>("day", "total"),
  currency: fc.constantFrom("USD", "EUR"),
  limitMicros: fc.integer({ min: 0, max: 200 }).map(toMicros),
});
const world = fc.record({
  pages: fc.array(page, { maxLength: 10 }),
  budgets: fc.array(budget, { minLength: 1, maxLength: 4 }),
  maxPages: fc.option(fc.integer({ min: 1, max: 6 })),
  siteMaxPages: fc.option(fc.integer({ min: 1, max: 4 })),
});
interface World {
  readonly pages: readonly ValuedPage[];
  readonly budgets: readonly Budget[];
  readonly maxPages: number | null;
  readonly siteMaxPages: number | null;
}

describe("the order value", () => {
  it("buys the most value that the limits allow, on small worlds", () => {
    fc.assert(
      fc.property(world, (options) => {
        const pages = byRatio(options.pages);
        const chosen = chooseMostValue(pages, () => limitsOf(options));
        expect(takeAll(pages, chosen, limitsOf(options))).toBe(true);
        expect(worthOf(pages, chosen)).toBe(best(pages, options, (choice) => worthOf(pages, choice)));
      }),
      { numRuns: 200 },
    );
  });

  it("buys the one page that is worth more than all the others, however many there are", () => {
    const small: ValuedPage[] = Array.from({ length: 1_000 }, () => toPage(1, 2));
    const large = toPage(1_000, 1_500);
    const limits = () => limitsOf({ budgets: [toBudget(1_000)], maxPages: null, siteMaxPages: null });
    expect(worthOf([...small, large], chooseMostValue([...small, large], limits))).toBe(2_000);
    const few = small.slice(0, 500);
    expect(worthOf([...few, large], chooseMostValue([...few, large], limits))).toBe(1_500);
  });
});

describe("the order value, with too many pages for a search and one budget", () => {
  const shape = fc.record({
    seed: fc.integer({ min: 1, max: 1_000_000 }),
    // Few large pages among many small ones, up to those of which one alone fits.
    spread: fc.constantFrom(1, 3, 8),
    share: fc.constantFrom(0.01, 0.1, 1 / 3),
  });

  it("is worth at least half of what parts of pages could bring, which no choice exceeds", () => {
    fc.assert(
      fc.property(shape, ({ seed, spread, share }) => {
        const random = createRandom(seed);
        const pages = byRatio(
          Array.from({ length: 450 }, () =>
            toPage(1 + Math.floor(100_000 * random() ** spread), 1 + Math.floor(1_000 * random() ** spread)),
          ),
        );
        const limitMicros = Math.floor(share * pages.reduce((sum, { cost }) => sum + cost.micros, 0));
        const limits = () => limitsOf({ budgets: [toBudget(limitMicros)], maxPages: null, siteMaxPages: null });
        const chosen = worthOf(pages, chooseMostValue(pages, limits));
        expect(chosen).toBeGreaterThanOrEqual(worthOfParts(pages, limitMicros) / 2);
      }),
      { numRuns: 50 },
    );
  });
});

describe("the order cheapest", () => {
  it("buys the greatest number of pages that the money of one currency can buy, under budgets of all sites, sites and runs", () => {
    fc.assert(
      fc.property(world, (options) => {
        const pages = options.pages
          .filter(({ cost }) => cost.currency === "USD")
          .toSorted((a, b) => a.cost.micros - b.cost.micros);
        const taken = takeWhatFits(pages, limitsOf(options));
        expect(taken.length).toBe(best(pages, options, (choice) => choice.length));
      }),
      { numRuns: 200 },
    );
  });
});

describe("every order", () => {
  it("leaves nothing over that fits, and takes a better page before a worse one", () => {
    fc.assert(
      fc.property(world, (options) => {
        const { pages } = options;
        const taken = takeWhatFits(pages, limitsOf(options));
        for (const position of pages.keys()) {
          if (!taken.includes(position)) {
            expect(takeAll(pages, [...taken.filter((other) => other < position), position], limitsOf(options))).toBe(
              false,
            );
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});

function limitsOf({ budgets, maxPages, siteMaxPages }: Omit<World, "pages">): BuyingLimits {
  return createBuyingLimits({
    readBalance: () => ({ spentMicros: ZERO, inDoubtMicros: ZERO, reservedMicros: ZERO }),
    budgets,
    runId: "run_1",
    now: 0,
    runPagesLeft: maxPages,
    maxSpend: null,
    readSite: () => ({ pagesLeft: siteMaxPages, exhausted: new Map() }),
    noRoom: "keep",
  });
}

function takeWhatFits(pages: readonly ValuedPage[], limits: BuyingLimits): readonly number[] {
  return [...pages.entries()].flatMap(([position, { host, cost }]) =>
    limits.take(host, cost) === null ? [position] : [],
  );
}

function takeAll(pages: readonly ValuedPage[], choice: readonly number[], limits: BuyingLimits): boolean {
  return choice.every((position) => {
    const one = pages[position] as ValuedPage;
    return limits.take(one.host, one.cost) === null;
  });
}

/** Of every choice that the limits allow. */
function best(pages: readonly ValuedPage[], options: World, measure: (choice: readonly number[]) => number): number {
  let most = 0;
  for (let bits = 0; bits < 2 ** pages.length; bits += 1) {
    const choice = [...pages.keys()].filter((position) => (bits >> position) % 2 === 1);
    const measured = measure(choice);
    if (measured > most && takeAll(pages, choice, limitsOf(options))) {
      most = measured;
    }
  }
  return most;
}

/** The best value per price first, the last page in part: the upper bound of a knapsack. */
function worthOfParts(pages: readonly ValuedPage[], limitMicros: number): number {
  let left = limitMicros;
  let worth = 0;
  for (const { cost, value } of pages.filter((one) => one.cost.micros <= limitMicros)) {
    const taken = Math.min(left, cost.micros);
    worth += (value * taken) / cost.micros;
    left -= taken;
  }
  return worth;
}

function byRatio(pages: readonly ValuedPage[]): readonly ValuedPage[] {
  return pages.toSorted((a, b) => b.value / b.cost.micros - a.value / a.cost.micros);
}

function worthOf(pages: readonly ValuedPage[], choice: readonly number[]): number {
  return choice.reduce((sum, position) => sum + (pages[position]?.value ?? 0), 0);
}

function toPage(micros: number, value: number): ValuedPage {
  return { host: "a.example", cost: { micros: toMicros(micros), currency: "USD" }, value };
}

function toBudget(limitMicros: number): Budget {
  return { scope: { kind: "all" }, period: "total", currency: "USD", limitMicros: toMicros(limitMicros) };
}
