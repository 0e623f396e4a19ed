import { getEventListeners } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { workPeriod } from "../../../../src/agent/runs/work-period.ts";
import { TUNING } from "../../../../src/agent/tuning.ts";
import type { RunSummary } from "../../../../src/ledger/ledger-reports.ts";
import { toMicros } from "../../../../src/money/micros.ts";
import { FIRST_PAGES } from "../../../../src/pipeline/acquire/slow-start.ts";
import { NO_WORKERS_ELSEWHERE } from "../../../../src/pipeline/work/elsewhere.ts";
import { createSlots } from "../../../../src/pipeline/work/slots.ts";
import { begin, toSite } from "../../../doubles/ledger-steps.ts";
import { MemoryQueue } from "../../../doubles/memory-queue.ts";
import type { GatewayScript } from "../../../doubles/scripted-gateway.ts";
import { catalogPage, contentAnswer, gatewayError, REFUSED } from "../../../doubles/scripted-gateway.ts";
import {
  BUDGET,
  createStageWorld,
  LIMITS,
  pageUrl,
  type StageWorld,
  type WorldOptions,
} from "../../pipeline/stage-world.ts";

let world: StageWorld;
afterEach(() => world.close());

const PATHS = Array.from({ length: 20 }, (_, index) => `/${index}`);
const listCatalog: NonNullable<GatewayScript["listCatalog"]> = ({ host }) =>
  catalogPage(PATHS.map((path) => pageUrl(path, host)));

const MONTH_MS = 30 * 86_400_000;

const SPEC = { kind: "walk", sites: [], maxPages: null, maxSpend: null } as const;
const toResources = (queue: MemoryQueue) => ({ queue: async () => queue, tuning: TUNING });

interface Crawl {
  readonly queue: MemoryQueue;
  readonly user: AbortController;
  run(deadlineAt?: number | null): Promise<RunSummary>;
}

async function open(options: WorldOptions = {}): Promise<Crawl> {
  world = await createStageWorld({ ...options, script: { listCatalog, ...options.script } });
  const { deps, clock, runId } = world;
  const queue = new MemoryQueue();
  const user = new AbortController();
  const isIdle = () => world.isIdle() && queue.waiting === 0;
  return {
    queue,
    user,
    run: (deadlineAt = null) =>
      clock.drive(
        workPeriod(deps, toResources(queue), {
          spec: { runId, ...SPEC, deadlineAt },
          process: "here:1:a",
          list: null,
          user: user.signal,
          ending: user.signal,
          elsewhere: NO_WORKERS_ELSEWHERE,
        }),
        isIdle,
      ),
  };
}

describe("a run", () => {
  it("ends completed, with every page bought and every use reported", async () => {
    const { run } = await open();
    const summary = await run();
    expect(summary).toMatchObject({ state: "completed", reason: null, pages: { bought: 20, failed: 0 } });
    expect(summary.usage).toEqual({ recorded: 20, reported: 20, pending: 0, rejected: 0 });
    expect(world.clock.sleeping).toBe(0);
  });

  it("buys the next best page with the money of a purchase that failed, under an order other than that of the catalog", async () => {
    const crawl = await open({
      budgets: [{ ...BUDGET, limitMicros: toMicros(2_000) }],
      script: { fetchContent: ({ url }) => (url.endsWith("/0") ? REFUSED(404) : contentAnswer()) },
    });
    Object.assign(world.deps, { order: "cheapest" });
    const { pages, denials, state } = await crawl.run();
    expect({ state, bought: pages.bought, failed: pages.failed }).toEqual({
      state: "budget_exhausted",
      bought: 2,
      failed: 1,
    });
    expect(denials.budget_exhausted).toBe(17);
  });

  it("buys from the next batch as soon as the site is proven, while the first batch is under way", async () => {
    let answerOthers = () => {};
    const nextAsked = new Promise<void>((resolve) => {
      answerOthers = resolve;
    });
    const { run } = await open({
      script: {
        fetchContent: async ({ url }) => {
          const page = Number(url.split("/").at(-1));
          if (page >= LIMITS.acquireBatchSize) {
            answerOthers();
          } else if (page >= FIRST_PAGES) {
            await nextAsked;
          }
          return contentAnswer();
        },
      },
    });
    Object.assign(world.deps, { pageSlots: createSlots(PATHS.length) });
    const { now } = world.clock;
    const begunAt = now();
    const nextAt = nextAsked.then(now);
    expect(await run()).toMatchObject({ state: "completed", pages: { bought: 20 } });
    expect((await nextAt) - begunAt).toBeLessThan(TUNING.dispatch.idleMs);
  });

  it("removes its listener from the user's signal", async () => {
    const { run, user } = await open();
    await run();
    expect(getEventListeners(user.signal, "abort")).toHaveLength(0);
  });

  it("stops gracefully on the user's signal, keeps the rest, and continues when it is resumed", async () => {
    const crawl = await open({
      script: {
        fetchContent: () => {
          crawl.user.abort();
          return contentAnswer();
        },
      },
    });
    const first = await crawl.run();
    expect(first.state).toBe("interrupted");
    expect(first.pages.bought).toBe(world.gateway.requests("fetchContent").length);
    const { runId, ledger, clock, deps } = world;
    const configured = [toSite()];
    await begin(ledger, { which: { kind: "named", runId }, process: "here:2:b", now: clock.now(), configured });
    const queue = new MemoryQueue();
    const { signal } = new AbortController();
    const spec = { runId, ...SPEC, deadlineAt: null };
    const period = {
      spec,
      process: "here:2:b",
      list: null,
      user: signal,
      ending: signal,
      elsewhere: NO_WORKERS_ELSEWHERE,
    };
    const second = await clock.drive(
      workPeriod(deps, toResources(queue), period),
      () => world.isIdle() && queue.waiting === 0,
    );
    expect(second).toMatchObject({ state: "completed", pages: { bought: 20 } });
    expect(world.gateway.requests("fetchContent")).toHaveLength(20);
  });

  it("stops before it begins if the signal was already aborted", async () => {
    const { run, user } = await open();
    user.abort();
    expect((await run()).state).toBe("interrupted");
    expect(world.gateway.calls).toHaveLength(0);
  });

  it("is failed and throws when the key is refused, and can be resumed", async () => {
    const { run } = await open({
      script: {
        quoteBatch: () => {
          throw gatewayError("GATEWAY_UNAUTHORIZED");
        },
      },
    });
    await expect(run()).rejects.toMatchObject({ code: "GATEWAY_UNAUTHORIZED" });
    expect((await world.ledger.readRun(world.runId)).state).toBe("failed");
    expect(await world.ledger.listUnfinished({ now: world.clock.now(), aliveMs: 1, gone: [] })).toMatchObject([
      { runId: world.runId },
    ]);
    expect(world.clock.sleeping).toBe(0);
  });

  it("is failed and throws the error of a bug in a job", async () => {
    const { run } = await open({
      script: {
        issueContentToken: () => {
          throw new Error("bug: impossible");
        },
      },
    });
    await expect(run()).rejects.toThrow("impossible");
    expect((await world.ledger.readRun(world.runId)).state).toBe("failed");
  });

  it("is failed when the queue fails, and waits for the active jobs", async () => {
    const { run, queue } = await open();
    const add = queue.add.bind(queue);
    queue.add = async (jobs) => {
      if (queue.added.length > 1) {
        throw gatewayError("QUEUE_UNREACHABLE");
      }
      return add(jobs);
    };
    await expect(run()).rejects.toMatchObject({ code: "QUEUE_UNREACHABLE" });
    expect(Object.values(await queue.depth()).reduce((sum, jobs) => sum + jobs)).toBe(0);
  });

  it("ends when another process has ended it with work left", async () => {
    const { run } = await open({
      script: {
        quoteBatch: async () => {
          const { runId, ledger, clock } = world;
          await ledger.endRun({ runId, state: "failed", reason: "elsewhere", now: clock.now() });
          throw gatewayError("GATEWAY_FAILED");
        },
      },
    });
    expect(await run()).toMatchObject({ state: "failed", reason: "elsewhere" });
    expect(await world.ledger.listUnfinished({ now: world.clock.now(), aliveMs: 1, gone: [] })).toMatchObject([
      { runId: world.runId },
    ]);
    expect(world.clock.sleeping).toBe(0);
  });

  it("ends at its longest duration, and releases what was not sent", async () => {
    const { run } = await open({
      script: {
        fetchContent: () => {
          world.clock.advance(10_000);
          return contentAnswer();
        },
      },
    });
    const summary = await run(world.clock.now() + 25_000);
    expect(summary.state).toBe("max_duration");
    expect(summary.pages.bought).toBeGreaterThan(0);
    expect(summary.pages.bought).toBeLessThan(20);
    expect(summary.spend.USD?.reservedMicros ?? 0).toBe(0);
    expect(summary.usage.pending).toBe(0);
  });

  it("probes what a dead process had sent, although its longest duration is over", async () => {
    const { run } = await open();
    const { ledger, clock, deps } = world;
    const leaseId = await world.leasePurchases(["/0"]);
    const { purchaseId } = (await ledger.openAcquireBatch(leaseId))?.purchases[0] ?? { purchaseId: 0 };
    const token = { token: "token-of-the-dead", expiresAt: clock.now() + MONTH_MS };
    await ledger.startPurchase({ leaseId, purchaseId, token, now: clock.now() });
    clock.advance(deps.limits.leaseMs);
    expect(await run(clock.now())).toMatchObject({ state: "max_duration", pages: { bought: 1, inDoubt: 0 } });
    expect(await world.ends(["/0"])).toEqual(["settled"]);
  });

  it("is not ended at once by a longest duration that is too long for a timer", async () => {
    const { run } = await open();
    expect(await run(world.clock.now() + MONTH_MS)).toMatchObject({ state: "completed" });
    expect(Math.max(...world.clock.sleeps)).toBeLessThan(2 ** 31);
    expect(world.clock.sleeping).toBe(0);
  });

  it("is not disturbed by jobs that an earlier run left in the queue", async () => {
    const { run, queue } = await open({ hosts: ["news.example"] });
    const { ledger, clock } = world;
    const site = { host: "gone.example", maxPages: null, fullWalkEveryMs: null, overlapMs: 0 };
    const limits = { maxPages: null, maxSpend: null, deadlineAt: null };
    await ledger.createRun({
      runId: "run_0",
      kind: "walk",
      order: "catalog",
      startedAt: clock.now(),
      sites: [site],
      ...limits,
    });
    const left = await ledger.leaseBatches({
      runId: "run_0",
      limit: 1,
      now: clock.now(),
      leaseMs: 60_000,
      maxWaitingPages: 100,
    });
    await ledger.endRun({ runId: "run_0", state: "interrupted", reason: null, now: clock.now() });
    await queue.add(left.map(({ leaseId, stage }) => ({ leaseId, stage })));
    expect(await run()).toMatchObject({ state: "completed", pages: { bought: 20 } });
  });

  it("says which budget is exhausted", async () => {
    const { run } = await open({ budgets: [{ ...BUDGET, limitMicros: 3_000 as never }] });
    const summary = await run();
    expect(summary.state).toBe("budget_exhausted");
    expect(summary.reason).toContain("budget");
    expect(summary.pages.bought).toBe(3);
  });

  it("is failed when no site could be crawled, with the reason", async () => {
    const { run } = await open({
      script: {
        listCatalog: () => {
          throw gatewayError("GATEWAY_NOT_FOUND");
        },
      },
    });
    expect(await run()).toMatchObject({ state: "failed", reason: expect.stringContaining("news.example") });
  });

  it("is completed when pages were refused, and counts them", async () => {
    const { run } = await open({
      script: { fetchContent: ({ url }) => (url.endsWith("/7") ? REFUSED(404) : contentAnswer()) },
    });
    expect(await run()).toMatchObject({
      state: "completed",
      pages: { bought: 19, failed: 1 },
      failures: { content_refused: 1 },
    });
  });

  it("ends although the reports are refused, and says so", async () => {
    const { run } = await open({
      script: { reportUsage: () => ({ kind: "unauthorized", status: 403, detail: "not yours" }) },
    });
    expect(await run()).toMatchObject({ state: "completed", usage: { recorded: 20, reported: 0, pending: 20 } });
    expect(world.said.some(({ event, text }) => event === "warned" && text.includes("nothing is lost"))).toBe(true);
  });
});
