import { afterEach, describe, expect, it } from "vitest";
import { createProcessors } from "../../../jobs/index.ts";
import type { LicetError } from "../../../src/errors.ts";
import { type DispatchEnd, type DispatchLimits, dispatch } from "../../../src/pipeline/work/dispatch.ts";
import { createInFlightRegistry } from "../../../src/pipeline/work/in-flight-jobs.ts";
import { MemoryQueue } from "../../doubles/memory-queue.ts";
import { catalogPage, contentAnswer, gatewayError, listAll, UNAUTHORIZED } from "../../doubles/scripted-gateway.ts";
import { createStageWorld, HOST, LIMITS, pageUrl, type StageWorld, type WorldOptions } from "./stage-world.ts";

let world: StageWorld;
afterEach(() => world.close());

const DISPATCH: DispatchLimits = {
  maxOutstanding: { walk: 1, quote: 1, acquire: 2 },
  quotesPerSite: 2,
  maxWaitingPages: 100,
  idleMs: 500,
  reportAtUses: 1_000,
};

interface Crawl {
  readonly queue: MemoryQueue;
  readonly failures: readonly LicetError[];
  readonly stop: AbortController;
  /** Lease ids of the jobs at work. */
  readonly active: ReadonlySet<string>;
  run(): Promise<DispatchEnd>;
}

async function createCrawl(
  options: WorldOptions & { readonly dispatch?: Partial<DispatchLimits> } = {},
): Promise<Crawl> {
  world = await createStageWorld(options);
  const { deps, clock, ledger, runId } = world;
  const inFlight = createInFlightRegistry(clock);
  const stop = new AbortController();
  const failures: LicetError[] = [];
  const onFailure = (error: LicetError) => {
    failures.push(error);
    stop.abort();
  };
  const queue = new MemoryQueue();
  const workers = await queue.startWorkers(createProcessors(deps, { stop: stop.signal, inFlight, onFailure }));
  const dispatchDeps = {
    ledger,
    clock,
    queue,
    inFlight,
    process: "here:1:a",
    stageLimits: deps.limits,
    dispatchLimits: () => ({ ...DISPATCH, ...options.dispatch }),
  };
  const isIdle = () => world.isIdle() && queue.waiting === 0;
  const work = async () => {
    try {
      return await dispatch(dispatchDeps, runId, stop.signal);
    } finally {
      await workers.close({ force: true });
    }
  };
  return { queue, failures, stop, active: inFlight.active, run: () => clock.drive(work(), isIdle) };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const PATHS = Array.from({ length: 40 }, (_, index) => `/${index}`);
const catalogOf = (paths: readonly string[]) => () => catalogPage(paths.map((path) => pageUrl(path)));

async function bought(): Promise<number> {
  return (await world.ledger.readRun(world.runId)).pages.bought;
}

describe("the dispatcher", () => {
  it("completes a run with a bounded number of jobs", async () => {
    const { queue, run, failures } = await createCrawl({ script: { listCatalog: catalogOf(PATHS) } });
    expect(await run()).toBe("drained");
    expect(failures).toEqual([]);
    expect(await bought()).toBe(PATHS.length);
    expect(queue.mostAtOnce).toBeLessThanOrEqual(1 + 1 + 2);
    expect(world.gateway.requests("fetchContent")).toHaveLength(PATHS.length);
  });

  it("works on so many quote batches of a site at once, and on those of other sites beside them", async () => {
    const hosts = ["news.example", "other.example"];
    const underWay: string[] = [];
    const most = new Map<string, number>();
    const { run } = await createCrawl({
      hosts,
      limits: { quoteBatchSize: 4 },
      dispatch: { maxOutstanding: { walk: 12, quote: 12, acquire: 12 }, quotesPerSite: 2 },
      script: {
        listCatalog: ({ host }) => catalogPage(PATHS.map((path) => pageUrl(path, host))),
        quoteBatch: async (urls) => {
          const host = new URL(urls[0] ?? "").host;
          underWay.push(host);
          most.set(host, Math.max(most.get(host) ?? 0, underWay.filter((one) => one === host).length));
          await nextTurn();
          underWay.splice(underWay.indexOf(host), 1);
          return listAll(urls);
        },
      },
    });
    expect(await run()).toBe("drained");
    expect(await bought()).toBe(hosts.length * PATHS.length);
    expect([...most.values()]).toEqual([2, 2]);
  });

  it("buys from the first sites while the last ones are walked", async () => {
    const hosts = Array.from({ length: 12 }, (_, index) => `site${index}.example`);
    const asked: string[] = [];
    const { run } = await createCrawl({
      hosts,
      script: {
        listCatalog: ({ host }) => {
          asked.push("catalog");
          return catalogPage([pageUrl("/a", host)]);
        },
        fetchContent: () => {
          asked.push("content");
          return contentAnswer();
        },
      },
    });
    expect(await run()).toBe("drained");
    expect(await bought()).toBe(hosts.length);
    expect(asked.indexOf("content")).toBeLessThan(asked.lastIndexOf("catalog"));
  });

  it("asks seldom for a walk while none can go on, and at once when one has ended", async () => {
    const { run } = await createCrawl({ script: { listCatalog: catalogOf(PATHS) }, limits: { acquireBatchSize: 1 } });
    const { leaseBatches } = world.ledger;
    const asked: number[] = [];
    world.ledger.leaseBatches = (request) => {
      asked.push(request.stages?.walk ?? 0);
      return leaseBatches.call(world.ledger, request);
    };
    expect(await run()).toBe("drained");
    expect(asked.length).toBeGreaterThan(PATHS.length);
    expect(asked.filter((walks) => walks > 0).length).toBeLessThan(PATHS.length / 2);
  });

  it("ends at once when there is nothing to do", async () => {
    const { run } = await createCrawl({ script: { listCatalog: catalogOf([]) } });
    expect(await run()).toBe("drained");
  });

  it("puts nothing but stage and lease id into the queue", async () => {
    const { queue, run } = await createCrawl({ script: { listCatalog: catalogOf(PATHS.slice(0, 3)) } });
    await run();
    for (const job of queue.added) {
      expect(Object.keys(job).sort()).toEqual(["leaseId", "stage"]);
      expect(job.leaseId).toMatch(/^[\w.-]+$/);
    }
  });

  it("requeues a lost job without waiting for its lease", async () => {
    const { queue, run } = await createCrawl({
      script: { listCatalog: catalogOf(PATHS) },
      limits: { leaseMs: 1_000_000_000 },
    });
    const before = world.clock.now();
    queue.losing = 1;
    expect(await run()).toBe("drained");
    expect(await bought()).toBe(PATHS.length);
    expect(world.clock.now() - before).toBeLessThan(60_000);
  });

  it("keeps no place for a lost job longer than its lease, while another job is at work", async () => {
    const slow = "slow.example";
    const fetched = () => world.gateway.requests("fetchContent").length;
    let heldMs = 0;
    const { queue, run } = await createCrawl({
      hosts: [HOST, slow],
      dispatch: { maxOutstanding: { walk: 2, quote: 1, acquire: 2 } },
      script: {
        listCatalog: async ({ host }) => {
          while (host === slow && fetched() === 0) {
            await nextTurn();
          }
          return catalogPage([pageUrl("/a", host)]);
        },
        // At work until the other site, whose next job is lost, was bought from as well.
        fetchContent: async (_request, call) => {
          queue.losing = call === 1 ? 1 : 0;
          while (fetched() < 2 && heldMs < 10 * LIMITS.leaseMs) {
            heldMs += 200;
            world.clock.advance(200);
            await nextTurn();
          }
          return contentAnswer();
        },
      },
    });
    expect(await run()).toBe("drained");
    expect(await bought()).toBe(2);
    expect(heldMs).toBeLessThan(3 * LIMITS.leaseMs);
  });

  it("survives a queue that is emptied repeatedly", async () => {
    const { queue, run } = await createCrawl({ script: { listCatalog: catalogOf(PATHS) } });
    const { fetchContent } = world.gateway;
    world.gateway.fetchContent = async (request, signal) => {
      await queue.clear();
      return fetchContent(request, signal);
    };
    expect(await run()).toBe("drained");
    expect(await bought()).toBe(PATHS.length);
    expect(world.gateway.requests("issueContentToken")).toHaveLength(PATHS.length);
  });

  it("stops gracefully while several jobs are active: started work is finished, the rest is kept", async () => {
    let answerFirst = () => {};
    // The first page shows that the site delivers. The job of the second ends some turns of the event loop after all others.
    const untilAlone = async () => {
      while (active.size > 1) {
        await nextTurn();
      }
      await nextTurn();
    };
    const { run, stop, active } = await createCrawl({
      limits: { acquireBatchSize: 1 },
      script: {
        listCatalog: catalogOf(PATHS),
        fetchContent: async (_request, call) => {
          if (call === 1) {
            return contentAnswer();
          }
          if (call === 2) {
            await new Promise<void>((resolve) => {
              answerFirst = resolve;
            });
          } else {
            stop.abort();
            void untilAlone().then(() => answerFirst());
          }
          return UNAUTHORIZED;
        },
      },
    });
    expect(await run()).toBe("stopped");
    const { pages } = await world.ledger.readRun(world.runId);
    expect(pages.failed).toBe(world.gateway.requests("fetchContent").length - 1);
    const { openBatches } = await world.ledger.readProgress({ runId: world.runId, now: world.clock.now() });
    expect(openBatches).toBeGreaterThan(0);
    expect(world.clock.sleeping).toBe(0);
  });

  it("leases nothing when it is stopped before it begins", async () => {
    const { run, stop, queue } = await createCrawl();
    stop.abort();
    expect(await run()).toBe("stopped");
    expect(queue.added).toEqual([]);
  });

  it("adds one report at a time, when enough uses wait", async () => {
    const { queue, run } = await createCrawl({
      script: {
        listCatalog: catalogOf(PATHS),
        fetchContent: () => {
          world.clock.advance(100);
          return contentAnswer();
        },
      },
      dispatch: { reportAtUses: LIMITS.reportBatchSize },
    });
    await run();
    const reports = queue.added.filter(({ stage }) => stage === "report");
    expect(reports.length).toBeGreaterThan(0);
    expect(new Set(reports.map(({ leaseId }) => leaseId)).size).toBe(reports.length);
    expect(world.said.filter(({ event }) => event === "reported").length).toBeGreaterThan(0);
  });

  it("does not spin on a report that another process postpones", async () => {
    const { queue, run } = await createCrawl({
      script: { listCatalog: catalogOf(PATHS) },
      dispatch: { reportAtUses: 1, maxOutstanding: { walk: 1, quote: 1, acquire: 1 } },
      limits: { acquireBatchSize: 2 },
    });
    await world.ledger.leaseFlusher({ now: world.clock.now(), leaseMs: 1_000_000_000 });
    const before = world.clock.now();
    expect(await run()).toBe("drained");
    const reports = queue.added.filter(({ stage }) => stage === "report");
    expect(reports.length).toBeLessThanOrEqual(1 + (world.clock.now() - before) / DISPATCH.idleMs);
  });

  it("ends with the failure when a job cannot continue, and leaves the rest to a resumed run", async () => {
    const { run, failures } = await createCrawl({
      script: {
        listCatalog: catalogOf(PATHS),
        issueContentToken: () => {
          throw gatewayError("GATEWAY_UNAUTHORIZED");
        },
      },
    });
    expect(await run()).toBe("stopped");
    expect(failures[0]).toMatchObject({ code: "GATEWAY_UNAUTHORIZED" });
    const { pages, spend } = await world.ledger.readRun(world.runId);
    expect(pages).toMatchObject({ failed: 0, bought: 0 });
    expect(spend.USD?.reservedMicros).toBe(pages.approved * 1_000);
  });

  it("serves a small site beside a large one", async () => {
    const small = "small.example";
    const order: string[] = [];
    const { run } = await createCrawl({
      hosts: [HOST, small],
      dispatch: { maxOutstanding: { walk: 1, quote: 1, acquire: 1 } },
      limits: { acquireBatchSize: 4 },
      script: {
        listCatalog: ({ host }) =>
          catalogPage((host === small ? PATHS.slice(0, 2) : PATHS).map((path) => pageUrl(path, host))),
        issueContentToken: ({ url }) => {
          order.push(new URL(url).host);
          return { token: `t-${url}`, expiresAt: world.clock.now() + 60_000 };
        },
      },
    });
    await run();
    expect(order.lastIndexOf(small)).toBeLessThan(order.length / 2);
    expect(order).toHaveLength(PATHS.length + 2);
  });
});
