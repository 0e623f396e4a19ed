/** A plan and a run decide by the same limits (budget/limits.ts): on the same world they agree to the page, whatever bounds them. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Budget } from "../../../src/budget/budget.ts";
import type { PageCounts } from "../../../src/ledger/ledger-reports.ts";
import type { RunSpec } from "../../../src/ledger/run-ledger.ts";
import { toMicros } from "../../../src/money/micros.ts";
import { decideRound } from "../../../src/pipeline/decide/decide-in-order.ts";
import { planRun } from "../../../src/pipeline/plan/plan.ts";
import { quote } from "../../../src/pipeline/quote/quote.ts";
import { walk } from "../../../src/pipeline/walk/walk.ts";
import { RUN_ORDERS } from "../../../src/policy/rule.ts";
import { catalogPage, listing } from "../../doubles/scripted-gateway.ts";
import { BUDGET, createStageWorld, HOST, NEVER, pageUrl, type StageWorld } from "./stage-world.ts";

const OTHER = "other.example";
const HOSTS = [HOST, OTHER];
const QUOTE_BATCH = 3;
/** As many as a plan leases at once, so that both decide the batches in the same order. */
const LEASES = 8;

const page = fc.record({
  price: fc.integer({ min: 0, max: 40 }),
  currency: fc.constantFrom("USD", "EUR", "CHF"),
  host: fc.constantFrom(...HOSTS),
});
const budget = fc.record({
  scope: fc.constantFrom<Budget["scope"]>(
    { kind: "all" },
    { kind: "run" },
    { kind: "site", host: HOST },
    { kind: "site", host: OTHER },
  ),
  period: fc.constantFrom<Budget["period"]>("day", "month", "total"),
  currency: fc.constantFrom("USD", "EUR"),
  limitMicros: fc.integer({ min: 0, max: 200 }).map(toMicros),
});
const world = fc.record({
  pages: fc.array(page, { maxLength: 24 }),
  budgets: fc.array(budget, { minLength: 1, maxLength: 4 }),
  maxPages: fc.option(fc.integer({ min: 1, max: 12 })),
  siteMaxPages: fc.option(fc.integer({ min: 1, max: 8 })),
  spend: fc.option(
    fc.record({ micros: fc.integer({ min: 1, max: 200 }).map(toMicros), currency: budget.map((one) => one.currency) }),
  ),
  billsFetch: fc.boolean(),
  feePpm: fc.constantFrom(0, 100_000),
  order: fc.constantFrom(...RUN_ORDERS),
});
type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never;

it("approves the same pages at the same cost in a plan and in a run, under whatever limits", async () => {
  await fc.assert(
    fc.asyncProperty(world, async (options) => {
      const stages = await open(options);
      try {
        const planned = await plan(stages, options);
        await decideAll(stages, options);
        const summary = await stages.ledger.readRun(stages.runId);
        for (const counts of [summary.pages, ...summary.sites]) {
          expectToAddUp(counts);
        }
        expect([...planned.sites.values()].map(({ host, approved }) => ({ host, approved }))).toEqual(
          summary.sites.map(({ host, approved }) => ({ host, approved })),
        );
        expect(
          Object.fromEntries(
            [...planned.cost].flatMap(([currency, { setAsideMicros }]) =>
              setAsideMicros === 0 ? [] : [[currency, setAsideMicros]],
            ),
          ),
        ).toEqual(
          Object.fromEntries(
            Object.entries(summary.spend).flatMap(([currency, { reservedMicros }]) =>
              reservedMicros === 0 ? [] : [[currency, reservedMicros]],
            ),
          ),
        );
      } finally {
        await stages.close();
      }
    }),
    { numRuns: 20 },
  );
});

/** Each row of the table that people read: the whole is the sum of its parts. */
function expectToAddUp({ seen, unchanged, excluded, undecided, denied, deniedBy, approved, ...bought }: PageCounts) {
  const { policy, offer, limit, stored } = deniedBy;
  expect(unchanged + excluded + policy + offer + limit + stored + approved + undecided).toBe(seen);
  expect(policy + offer + limit + stored).toBe(denied);
  expect(bought.bought + bought.failed + bought.inDoubt + bought.open).toBe(approved);
}

async function open(options: World): Promise<StageWorld> {
  const { pages, budgets, maxPages, siteMaxPages, spend, billsFetch, feePpm, order } = options;
  const priceOf = (url: string) => pages[Number(/-(\d+)$/.exec(url)?.[1])];
  const stages = await createStageWorld({
    hosts: HOSTS,
    script: {
      listCatalog: ({ host }) =>
        catalogPage(pages.flatMap((one, index) => (one.host === host ? [pageUrl(`/p-${index}`, host)] : []))),
      quoteBatch: (urls) =>
        new Map(
          urls.map((url) => {
            const { price = 0, currency = "USD" } = priceOf(url) ?? {};
            return [url, listing({ micros: toMicros(price), currency })];
          }),
        ),
    },
    budgets: budgets.map((one) => ({ ...BUDGET, ...one })),
    limits: { quoteBatchSize: QUOTE_BATCH },
    billsFetch,
    fee: { ratePpm: feePpm, fixed: null },
    ...(siteMaxPages === null ? {} : { maxPages: siteMaxPages }),
    run: { maxPages, maxSpend: spend },
  });
  return { ...stages, deps: { ...stages.deps, order } };
}

async function plan({ ledger, deps, clock, drive }: StageWorld, { maxPages, siteMaxPages, spend }: World) {
  const sites = HOSTS.map((host) => ({ host, maxPages: siteMaxPages, fullWalkEveryMs: null, overlapMs: 0 }));
  const spec: RunSpec = {
    runId: "plan_1",
    kind: "planning",
    order: "catalog",
    sites,
    maxPages,
    maxSpend: spend,
    startedAt: clock.now(),
    deadlineAt: null,
  };
  await ledger.createRun(spec);
  try {
    return await drive(planRun(deps, { ...spec, process: "here:1:a", maxNamed: 0 }, NEVER));
  } finally {
    await ledger.discardPlan(spec.runId);
  }
}

/** The world's own run, up to its reservations. */
async function decideAll(world: StageWorld, { order, maxPages, siteMaxPages, spend }: World): Promise<void> {
  await quoteAll(world);
  if (order !== "catalog") {
    const { runId, deps } = world;
    const sites = HOSTS.map((host) => ({ host, maxPages: siteMaxPages, fullWalkEveryMs: null, overlapMs: 0 }));
    const run = { runId, sites, maxPages, maxSpend: spend, process: "here:1:a" };
    // The second round finds nothing more: no money has come back.
    await decideRound(deps, order, run, NEVER);
    expect(await decideRound(deps, order, run, NEVER)).toBe("done");
  }
}

async function quoteAll({ ledger, deps, clock, runId }: StageWorld): Promise<void> {
  const stages = { walk, quote };
  for (;;) {
    const leases = await ledger.leaseBatches({
      runId,
      limit: LEASES,
      now: clock.now(),
      leaseMs: 60_000,
      maxWaitingPages: 1_000,
      stages: { walk: LEASES, quote: LEASES },
    });
    if (leases.length === 0) {
      return;
    }
    for (const { stage, leaseId } of leases) {
      if (stage !== "acquire") {
        await stages[stage](deps, leaseId, NEVER);
      }
    }
  }
}
