import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { Budget } from "../../../src/budget/budget.ts";
import { toMicros } from "../../../src/money/micros.ts";
import type { Money } from "../../../src/money/money.ts";
import { acquire } from "../../../src/pipeline/acquire/acquire.ts";
import { planRun } from "../../../src/pipeline/plan/plan.ts";
import type { Planned, PlanRequest } from "../../../src/pipeline/plan/plan-book.ts";
import { quote } from "../../../src/pipeline/quote/quote.ts";
import { walk } from "../../../src/pipeline/walk/walk.ts";
import {
  catalogPage,
  contentAnswer,
  type GatewayScript,
  gatewayError,
  listing,
} from "../../doubles/scripted-gateway.ts";
import { BUDGET, createStageWorld, HOST, NEVER, pageUrl, type StageWorld, type WorldOptions } from "./stage-world.ts";

let world: StageWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const OTHER = "other.example";
const PLAN_ID = "plan_1";

interface Limits {
  readonly hosts?: readonly string[];
  readonly maxPages?: number | null;
  readonly maxSpend?: Money | null;
  readonly siteMaxPages?: number | null;
}

async function plan(
  { ledger, deps, clock, drive }: StageWorld,
  { hosts = [HOST], maxPages = null, maxSpend = null, siteMaxPages = null }: Limits = {},
  signal: AbortSignal = NEVER,
): Promise<Planned> {
  const sites = hosts.map((host) => ({ host, maxPages: siteMaxPages, fullWalkEveryMs: null, overlapMs: 0 }));
  const request: PlanRequest = { runId: PLAN_ID, process: "here:1:a", sites, maxPages, maxSpend, maxNamed: 2 };
  await ledger.createRun({
    ...request,
    kind: "planning",
    order: "catalog",
    startedAt: clock.now(),
    deadlineAt: null,
  });
  try {
    return await drive(planRun(deps, request, signal));
  } finally {
    await ledger.discardPlan(PLAN_ID);
  }
}

/** Works the world's own run to its end, stage by stage. */
async function crawl({ ledger, deps, clock, runId }: StageWorld): Promise<void> {
  const stages = { walk, quote, acquire };
  for (;;) {
    const [lease] = await ledger.leaseBatches({
      runId,
      limit: 1,
      now: clock.now(),
      leaseMs: 60_000,
      maxWaitingPages: 1_000,
    });
    if (lease === undefined) {
      return;
    }
    await stages[lease.stage](deps, lease.leaseId, NEVER);
  }
}

/** Pages that cost what their path says, in micros; `/none-…` are not licensable. */
const pricedByPath: GatewayScript["quoteBatch"] = (urls) =>
  new Map(
    urls.map((url) => {
      const price = /\/(\d+)-/.exec(url)?.[1];
      return [
        url,
        price === undefined
          ? { rates: [], unreadable: [] }
          : listing({ micros: toMicros(Number(price)), currency: "USD" }),
      ];
    }),
  );

const catalogs =
  (paths: Readonly<Record<string, readonly string[]>>): NonNullable<GatewayScript["listCatalog"]> =>
  ({ host }) =>
    catalogPage((paths[host] ?? []).map((path) => pageUrl(path, host)));

async function open(options: WorldOptions): Promise<StageWorld> {
  world = await createStageWorld(options);
  return world;
}

const total = (planned: Planned) => ({
  approved: [...planned.sites.values()].reduce((sum, site) => sum + site.approved, 0),
  setAsideMicros: planned.cost.get("USD")?.setAsideMicros ?? 0,
});

describe("a plan", () => {
  it("approves and costs the same as a run of the same world", async () => {
    const page = fc.oneof(fc.integer({ min: 0, max: 40 }).map(String), fc.constant("none"));
    await fc.assert(
      fc.asyncProperty(
        fc.array(page, { maxLength: 12 }),
        fc.integer({ min: 0, max: 200 }),
        fc.option(fc.integer({ min: 1, max: 8 })),
        fc.option(fc.integer({ min: 1, max: 8 })),
        fc.option(fc.integer({ min: 1, max: 150 })),
        async (prices, limit, maxPages, siteMaxPages, spend) => {
          const maxSpend = spend === null ? null : { micros: toMicros(spend), currency: "USD" };
          const crawled = await createStageWorld({
            script: {
              listCatalog: catalogs({ [HOST]: prices.map((price, index) => `/${price}-${index}`) }),
              quoteBatch: pricedByPath,
              fetchContent: () => contentAnswer({ rate: null }),
            },
            budgets: [{ ...BUDGET, limitMicros: toMicros(limit) }],
            limits: { quoteBatchSize: 4 },
            ...(siteMaxPages === null ? {} : { maxPages: siteMaxPages }),
            run: { maxPages, maxSpend },
          });
          try {
            const planned = await plan(crawled, { maxPages, maxSpend, siteMaxPages });
            await crawl(crawled);
            const { pages, spend: spent } = await crawled.ledger.readRun(crawled.runId);
            expect(total(planned)).toEqual({ approved: pages.approved, setAsideMicros: spent.USD?.settledMicros ?? 0 });
          } finally {
            await crawled.close();
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  it("approves and costs the same as a run with budgets in two currencies, to the page", async () => {
    const page = fc.record({ price: fc.integer({ min: 0, max: 40 }), currency: fc.constantFrom("USD", "EUR") });
    const scope = fc.constantFrom<Budget["scope"]>({ kind: "all" }, { kind: "run" }, { kind: "site", host: HOST });
    const limit = fc.integer({ min: 0, max: 120 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(page, { maxLength: 14 }),
        fc.tuple(scope, limit),
        fc.tuple(scope, limit),
        fc.option(fc.integer({ min: 1, max: 8 })),
        async (pages, [ofDollars, dollars], [ofEuros, euros], maxPages) => {
          const priceOf = (url: string) => pages[Number(/-(\d+)$/.exec(url)?.[1])];
          const crawled = await createStageWorld({
            script: {
              listCatalog: catalogs({ [HOST]: pages.map((_, index) => `/p-${index}`) }),
              quoteBatch: (urls) =>
                new Map(
                  urls.map((url) => {
                    const { price = 0, currency = "USD" } = priceOf(url) ?? {};
                    return [url, listing({ micros: toMicros(price), currency })];
                  }),
                ),
              fetchContent: () => contentAnswer({ rate: null }),
            },
            budgets: [
              { ...BUDGET, scope: ofDollars, limitMicros: toMicros(dollars) },
              { ...BUDGET, scope: ofEuros, limitMicros: toMicros(euros), currency: "EUR" },
            ],
            limits: { quoteBatchSize: 3 },
            run: { maxPages },
          });
          try {
            const planned = await plan(crawled, { maxPages });
            await crawl(crawled);
            const { pages: counts, spend } = await crawled.ledger.readRun(crawled.runId);
            const settled = (currency: string) => spend[currency]?.settledMicros ?? 0;
            expect(total(planned).approved).toBe(counts.approved);
            expect(["USD", "EUR"].map((currency) => planned.cost.get(currency)?.setAsideMicros ?? 0)).toEqual(
              ["USD", "EUR"].map(settled),
            );
          } finally {
            await crawled.close();
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  it("reserves, spends and leaves nothing", async () => {
    const { ledger, clock, gateway, ...rest } = await open({
      script: { listCatalog: catalogs({ [HOST]: ["/10-a", "/20-b", "/none-c"] }), quoteBatch: pricedByPath },
    });
    const planned = await plan({ ledger, clock, gateway, ...rest });
    expect(total(planned)).toEqual({ approved: 2, setAsideMicros: 30 });
    expect(planned.denials).toEqual({ not_licensable: 1 });
    expect(gateway.requests("issueContentToken")).toHaveLength(0);
    const status = await ledger.readStatus();
    expect(status.spend).toEqual({});
    const { runs } = await ledger.readRuns({
      limit: 10,
      runId: null,
      host: null,
      state: null,
      now: 0,
      aliveMs: 0,
      gone: [],
    });
    expect(runs.map(({ runId }) => runId)).toEqual(["run_1"]);
  });

  it("counts a budget down and says which budget is exhausted", async () => {
    const budgets: Budget[] = [
      { ...BUDGET, limitMicros: toMicros(1_000) },
      { ...BUDGET, scope: { kind: "site", host: HOST }, limitMicros: toMicros(25) },
    ];
    const planned = await plan(
      await open({
        hosts: [HOST, OTHER],
        script: {
          listCatalog: catalogs({ [HOST]: ["/10-a", "/20-b", "/1-c"], [OTHER]: ["/10-d"] }),
          quoteBatch: pricedByPath,
        },
        budgets,
      }),
      { hosts: [HOST, OTHER] },
    );
    // The site stops at the first page that does not fit: a cheaper one behind it is not bought either.
    expect(planned.sites.get(HOST)).toMatchObject({ approved: 1, denied: 2 });
    expect(planned.sites.get(OTHER)).toMatchObject({ approved: 1, denied: 0 });
    expect(planned.budgets.map(({ exhausted, plannedMicros }) => [exhausted, plannedMicros])).toEqual([
      [false, 20],
      [true, 10],
    ]);
  });

  it.each([
    ["a budget", { budgets: [{ ...BUDGET, limitMicros: toMicros(25) }] }, {}],
    ["the maxSpend of the run", {}, { maxSpend: { micros: toMicros(25), currency: "USD" } }],
  ] as const)(
    "counts %s down over all batches, and ends at the first page that does not fit",
    async (_name, options, limits) => {
      const planned = await plan(
        await open({
          script: { listCatalog: catalogs({ [HOST]: ["/10-a", "/10-b", "/10-c", "/1-d"] }), quoteBatch: pricedByPath },
          limits: { quoteBatchSize: 1 },
          ...options,
        }),
        limits,
      );
      expect(total(planned)).toEqual({ approved: 2, setAsideMicros: 20 });
      expect(planned.sites.get(HOST)).toMatchObject({ denied: 2 });
    },
  );

  it("says of a world with limits what a plan without them would cost", async () => {
    const script = {
      listCatalog: catalogs({ [HOST]: ["/10-a", "/20-b", "/1-c", "/none-d"] }),
      quoteBatch: pricedByPath,
    };
    const limited = await plan(await open({ script, budgets: [{ ...BUDGET, limitMicros: toMicros(15) }] }));
    expect(limited.cost.get("USD")).toEqual({ setAsideMicros: 10, pages: 1 });
    await world?.close();
    const unlimited = await plan(await open({ script }));
    expect(limited.costWithoutLimits).toEqual(unlimited.cost);
    expect(unlimited.costWithoutLimits).toEqual(unlimited.cost);
  });

  it("leaves out a site that is not enabled and plans the others, as a run does", async () => {
    const forbidden = (url: string) => new URL(url).host === OTHER;
    const crawled = await open({
      hosts: [HOST, OTHER],
      script: {
        listCatalog: catalogs({ [HOST]: ["/10-a"], [OTHER]: ["/10-b", "/10-c"] }),
        quoteBatch: (urls, call) => {
          if (urls.some(forbidden)) {
            throw gatewayError("GATEWAY_FORBIDDEN");
          }
          return pricedByPath(urls, call);
        },
        quotePage: (url) => {
          if (forbidden(url)) {
            throw gatewayError("GATEWAY_FORBIDDEN");
          }
          return listing();
        },
      },
    });
    const planned = await plan(crawled, { hosts: [HOST, OTHER] });
    expect(planned.sites.get(HOST)).toMatchObject({ approved: 1 });
    expect(planned.sites.get(OTHER)).toMatchObject({ quoted: 0 });
    expect(crawled.said.filter(({ event }) => event === "siteStopped")).toHaveLength(1);
  });

  it("tries again after a temporary failure", async () => {
    const planned = await plan(
      await open({
        script: {
          listCatalog: catalogs({ [HOST]: ["/10-a"] }),
          quoteBatch: (urls, call) => {
            if (call === 1) {
              throw gatewayError("GATEWAY_FAILED");
            }
            return pricedByPath(urls, call);
          },
        },
      }),
    );
    expect(total(planned).approved).toBe(1);
  });

  it("ends when it is interrupted, and shows no plan", async () => {
    const stop = new AbortController();
    const crawled = await open({
      script: {
        listCatalog: (_request, call) => {
          stop.abort();
          return catalogPage([pageUrl(`/10-${call}`)], { nextPageToken: `${call + 1}` });
        },
      },
    });
    await expect(plan(crawled, {}, stop.signal)).rejects.toMatchObject({ code: "INTERRUPTED" });
    expect(crawled.gateway.requests("listCatalog")).toHaveLength(1);
    expect(crawled.clock.sleeping).toBe(0);
  });

  it("throws the error that ends a run only after all its batches have ended", async () => {
    let others = 0;
    const crawled = await open({
      hosts: [HOST, OTHER],
      script: {
        listCatalog: async ({ host }) => {
          if (host === HOST) {
            throw gatewayError("GATEWAY_UNAUTHORIZED");
          }
          await new Promise((resolve) => setImmediate(resolve));
          others++;
          return catalogPage([]);
        },
      },
    });
    await expect(plan(crawled, { hosts: [HOST, OTHER] })).rejects.toMatchObject({ code: "GATEWAY_UNAUTHORIZED" });
    expect(others).toBe(1);
    expect(crawled.isIdle()).toBe(true);
  });
});
