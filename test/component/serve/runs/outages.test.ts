/** Queue or gateway away while runs of the service are at work: nothing ends, and the runs go on by themselves. */
import { afterEach, describe, expect, it } from "vitest";
import { beginRun } from "../../../../src/agent/runs/begin-run.ts";
import { type RedisGroup, startRedisCluster, startRedisWithSentinel } from "../../../doubles/redis-groups.ts";
import { findRedisProblem, startRedisServer } from "../../../doubles/redis-server.ts";
import { createOutageWorld, HOUR_MS, type OutageWorld, PAGES } from "./outage-world.ts";
import { startedOf, stateOf } from "./run-world.ts";

const MINUTE_MS = 60_000;
/** In the path of a request for the content of a page, and of no other. */
const CONTENT = "articles";

let world: OutageWorld | null = null;
const open = async (options: Parameters<typeof createOutageWorld>[0] = {}): Promise<OutageWorld> => {
  const opened = await createOutageWorld(options);
  world = opened;
  return opened;
};
const closeWorld = async () => {
  const opened = world;
  world = null;
  await opened?.close();
};
afterEach(closeWorld);

describe("a gateway that is away for an hour", () => {
  it("pauses a run in its middle; the run goes on by itself, and no page is lost", async () => {
    const opened = await open();
    const { runs, relay, nextOutage } = opened;
    const outage = nextOutage();
    opened.atRequest("/rates", 3, () => void relay.cut());
    const run = startedOf(await runs.start({ trigger: "schedule", hosts: [] }));
    expect(await outage).toMatchObject({ place: "gateway", code: "GATEWAY_UNREACHABLE" });
    expect(runs.outages()).toHaveLength(1);
    opened.clock.jump(HOUR_MS);
    expect((await (await opened.resources.ledger("read")).readRun(run.runId)).state).toBe("running");
    await relay.restore();
    expect(await stateOf(run)).toBe("completed");
    expect(opened.outages).toEqual(["gateway begins", "gateway is over"]);
    expect(runs.outages()).toEqual([]);
    await opened.expectMatchingAccounts();
  });

  it("keeps in the report of a run what the run took over before it paused", async () => {
    const opened = await open();
    const { runs, relay, nextOutage, resources } = opened;
    const process = resources.processes.begin();
    const { sites } = resources.config;
    const dead = await beginRun(resources, await resources.ledger("existing"), {
      ...{ which: { kind: "fresh" }, checksClock: true, sites, process, options: {} },
    });
    resources.processes.end(process);
    const outage = nextOutage();
    opened.atRequest("/rates", 3, () => void relay.cut());
    const run = startedOf(await runs.start({ trigger: "schedule", hosts: [], options: { fresh: true } }));
    await outage;
    await relay.restore();
    const taken = { runId: dead.kind === "begun" ? dead.spec.runId : null };
    expect(await run.ended).toMatchObject({ report: { state: "completed", takenOver: [taken] } });
  });

  it("keeps a run waiting that has just begun", async () => {
    const opened = await open();
    const { runs, relay, nextOutage } = opened;
    await relay.cut();
    const outage = nextOutage();
    const run = startedOf(await runs.start({ trigger: "schedule", hosts: [] }));
    await outage;
    opened.clock.jump(HOUR_MS);
    await relay.restore();
    const end = await run.ended;
    expect(end).toMatchObject({ kind: "ended", report: { state: "completed", pages: { bought: PAGES } } });
    await opened.expectMatchingAccounts();
  });

  it("ends a paused run as interrupted when the service stops, and the next service goes on with it", async () => {
    const opened = await open();
    const { runs, relay, nextOutage } = opened;
    const outage = nextOutage();
    opened.atRequest("/rates", 3, () => void relay.cut());
    const run = startedOf(await runs.start({ trigger: "schedule", hosts: [] }));
    await outage;
    await runs.stop();
    expect(await stateOf(run)).toBe("interrupted");
    await relay.restore();
    const next = await opened.reopen();
    const again = startedOf(await next.runs.start({ trigger: "schedule", hosts: [] }));
    expect(again.runId).toBe(run.runId);
    expect(await stateOf(again)).toBe("completed");
    await opened.expectMatchingAccounts();
  });
});

describe("a gateway that answers 503 to everything", () => {
  it.each([
    ["a walk", "/catalog", 3],
    ["rates", "/rates", 3],
    ["tokens", "/tokens", 5],
  ])("during %s: no walk is cut, no site is stopped, and no page is given up", async (_what, part, n) => {
    const opened = await open();
    const { runs, relay, nextOutage } = opened;
    const outage = nextOutage();
    opened.atRequest(part, n, () => relay.answer(503));
    const run = startedOf(await runs.start({ trigger: "schedule", hosts: [] }));
    expect(await outage).toMatchObject({ place: "gateway" });
    opened.clock.jump(HOUR_MS);
    await relay.restore();
    const end = await run.ended;
    expect(end).toMatchObject({ kind: "ended", report: { state: "completed", sites: [{ stop: null }] } });
    if (end.kind === "ended") {
      const { pages } = end.report;
      // A purchase that was started is probed while its token lives, as in any run. Nothing else ends.
      expect(pages.bought + pages.inDoubt).toBe(PAGES);
    }
    expect(opened.outages).toEqual(["gateway begins", "gateway is over"]);
    await opened.expectMatchingAccounts();
  });
});

describe("a gateway that fails at the first content, for less than the life of a token", () => {
  it.each<[string, (opened: OutageWorld) => Promise<void>]>([
    [
      "and answers 503 to everything",
      async ({ relay }) => {
        let probes = 0;
        relay.onRequest((path) => {
          probes += path.includes(CONTENT) ? 1 : 0;
        });
        // Far more than a run of a command sends for the pages that are under way.
        await expect.poll(() => probes).toBeGreaterThan(150);
      },
    ],
    [
      "and is away then",
      async ({ relay, clock }) => {
        await relay.cut();
        const from = clock.now();
        await expect.poll(() => clock.now() - from).toBeGreaterThan(4 * MINUTE_MS);
      },
    ],
  ])("%s: nothing is in doubt, and each page is bought with its own token", async (_what, untilOver) => {
    // As long as licet believes, and long enough for a busy machine beside a quick clock.
    const opened = await open({ tokenLifeMs: 20 * HOUR_MS });
    const { runs, relay, nextOutage } = opened;
    const outage = nextOutage();
    const failed = new Promise<void>((resolve) => {
      opened.atRequest(CONTENT, 1, () => {
        relay.answer(503);
        resolve();
      });
    });
    const run = startedOf(await runs.start({ trigger: "schedule", hosts: [] }));
    await failed;
    await untilOver(opened);
    expect(await outage).toMatchObject({ place: "gateway" });
    await relay.restore();
    expect(await run.ended).toMatchObject({
      kind: "ended",
      report: { state: "completed", pages: { bought: PAGES, inDoubt: 0, failed: 0 } },
    });
    expect(opened.sandbox.audit().charges).toHaveLength(PAGES);
    await opened.expectMatchingAccounts();
  });
});

const problem = findRedisProblem();

describe.skipIf(problem !== null)(`Redis (${problem ?? "here"})`, () => {
  it("away for an hour and back with an empty memory: the run goes on", async () => {
    const redis = await startRedisServer();
    try {
      const opened = await open({ queueUrl: redis.url });
      const { runs, nextOutage } = opened;
      const outage = nextOutage();
      opened.atRequest("/rates", 3, () => void redis.kill());
      const run = startedOf(await runs.start({ trigger: "schedule", hosts: [] }));
      expect(await outage).toMatchObject({ place: "queue", code: "QUEUE_UNREACHABLE" });
      opened.clock.jump(HOUR_MS);
      await redis.start();
      expect(await stateOf(run)).toBe("completed");
      expect(opened.outages).toEqual(["queue begins", "queue is over"]);
      await opened.expectMatchingAccounts();
    } finally {
      await closeWorld();
      await redis.stop();
    }
  });

  it("away when a run starts: the run begins, waits, and goes on", async () => {
    const redis = await startRedisServer();
    try {
      const opened = await open({ queueUrl: redis.url });
      const { runs, nextOutage } = opened;
      await redis.kill();
      const outage = nextOutage();
      const run = startedOf(await runs.start({ trigger: "schedule", hosts: [] }));
      await outage;
      await redis.start();
      expect(await stateOf(run)).toBe("completed");
      await opened.expectMatchingAccounts();
    } finally {
      await closeWorld();
      await redis.stop();
    }
  });

  const quick = { lostAfterMs: 1_000 };
  const losses: [string, (group: RedisGroup) => Promise<void>][] = [
    ["killed", (group) => group.killMaster()],
    // Half a minute each: what is silent is given up after 12 s. At night.
    ...(process.env.LICET_FROZEN_REDIS === "1"
      ? [["frozen", (group: RedisGroup) => group.freezeMaster()] satisfies [string, unknown]]
      : []),
  ];
  describe.each(losses)("whose master is %s", (_how, lose) => {
    it.each([
      ["a Sentinel", () => startRedisWithSentinel(quick)],
      ["a Cluster", () => startRedisCluster({ ...quick, replicas: true })],
    ])("and replaced by %s: the run goes on by itself, and nothing is bought twice", async (_what, start) => {
      const group = await start();
      try {
        const opened = await open({ queueUrl: group.url });
        let isLost = false;
        opened.atRequest("/rates", 3, () => void lose(group).then(() => (isLost = true)));
        const run = startedOf(await opened.runs.start({ trigger: "schedule", hosts: [] }));
        const end = await run.ended;
        expect(end).toMatchObject({ kind: "ended", report: { state: "completed", pages: { bought: PAGES } } });
        expect(isLost).toBe(true);
        await opened.expectMatchingAccounts();
      } finally {
        await closeWorld();
        await group.stop();
      }
    });
  });
});
