/** Services that die or race at each point of a slot's life, and servers of the queue that go away. */
import { describe, expect, it, onTestFinished } from "vitest";
import { begin } from "../../../doubles/ledger-steps.ts";
import { findRedisProblem, startRedisServer } from "../../../doubles/redis-server.ts";
import { createSchedulerWorld, type SchedulerOptions, type SchedulerWorld, until } from "./scheduler-world.ts";

const MINUTE_MS = 60_000;
const NEWS = "site:news.example";
const HOURLY: SchedulerOptions = { schedules: { "news.example": "0 * * * *" } };
const SLOT = { schedule: NEWS, slotAt: Date.parse("2026-11-20T13:00:00Z") };
const DEAD = "dead.example:1:x-1";

const open = (options: SchedulerOptions = HOURLY) => createSchedulerWorld(options, "2026-11-20T12:30:00Z");
const untilSlots = (world: SchedulerWorld, slots: readonly string[], schedule = NEWS) =>
  until(async () => JSON.stringify(await world.slots(schedule)) === JSON.stringify(slots), slots.join(", "));

/** The ledger of a service that died at 13:00 and some seconds, having claimed the slot of 13:00. */
async function openWithClaim(): Promise<SchedulerWorld> {
  const world = await open();
  await (await world.start()).stop();
  world.clock.jump(30 * MINUTE_MS + 5_000);
  await world.ledger.claimSlot({ ...SLOT, process: DEAD, now: world.clock.now() });
  return world;
}

describe("a slot of a service that died", () => {
  it("before its run had begun is begun by the next service", async () => {
    const world = await openWithClaim();
    const next = await world.start();
    await untilSlots(world, ["11-20T13:00:00 started run_1"]);
    await next.began[0]?.end();
    await untilSlots(world, ["11-20T13:00:00 done run_1"]);
  });

  it("during its run goes on with that run, and ends with it", async () => {
    const world = await open();
    const first = await world.start();
    await world.pass(31 * MINUTE_MS);
    await untilSlots(world, ["11-20T13:00:00 started run_1"]);
    first.kill();
    // Longer than the run of a dead process counts as alive.
    world.clock.jump(2 * MINUTE_MS);
    const next = await world.start();
    await until(() => next.began.length === 1, "the run goes on");
    expect(next.began[0]?.runId).toBe("run_1");
    await next.began[0]?.end();
    await untilSlots(world, ["11-20T13:00:00 done run_1"]);
    expect(next.began).toHaveLength(1);
  });

  it("before the row that names its run was written goes on with that run", async () => {
    const world = await openWithClaim();
    const { clock } = world;
    await begin(world.ledger, {
      which: { kind: "interrupted" },
      runId: "run_unrecorded",
      trigger: "schedule",
      process: DEAD,
      now: clock.now(),
    });
    clock.jump(2 * MINUTE_MS);
    const next = await world.start();
    await until(() => next.began.length === 1, "the run goes on");
    expect(next.began[0]?.runId).toBe("run_unrecorded");
    await next.began[0]?.end();
    await untilSlots(world, ["11-20T13:00:00 done run_unrecorded"]);
  });

  it("during their runs: each slot goes on with its own run, although several died together", async () => {
    const hosts = ["news.example", "other.example", "third.example"];
    const world = await open({ schedules: Object.fromEntries(hosts.map((host) => [host, "0 * * * *"])) });
    const first = await world.start();
    await world.pass(31 * MINUTE_MS);
    await until(() => first.began.length === 3, "three runs");
    first.kill();
    world.clock.jump(2 * MINUTE_MS);
    const next = await world.start();
    await until(() => next.began.length === 3, "three runs again");
    const runsOf = ({ began }: typeof next) => Object.fromEntries(began.map(({ host, runId }) => [host, runId]));
    expect(runsOf(next)).toEqual(runsOf(first));
    for (const run of next.began) {
      await run.end();
    }
    for (const { host, runId } of first.began) {
      await untilSlots(world, [`11-20T13:00:00 done ${runId}`], `site:${host}`);
    }
    expect(next.began).toHaveLength(3);
  });

  it("after the end of its run ends as the run did, and no other run begins", async () => {
    const world = await open();
    const first = await world.start();
    await world.pass(31 * MINUTE_MS);
    await untilSlots(world, ["11-20T13:00:00 started run_1"]);
    first.kill();
    await first.began[0]?.end();
    const next = await world.start();
    await untilSlots(world, ["11-20T13:00:00 done run_1"]);
    expect(next.began).toEqual([]);
  });

  it("waits while another process works on its run", async () => {
    const world = await open();
    const first = await world.start();
    await world.pass(31 * MINUTE_MS);
    await untilSlots(world, ["11-20T13:00:00 started run_1"]);
    first.kill();
    const next = await world.start();
    expect(next.began).toEqual([]);
    await first.began[0]?.end();
    await world.pass(MINUTE_MS);
    await untilSlots(world, ["11-20T13:00:00 done run_1"]);
    expect(next.began).toEqual([]);
  });

  it("is continued by the next one when the service stopped in order", async () => {
    const world = await open();
    const first = await world.start();
    await world.pass(31 * MINUTE_MS);
    await untilSlots(world, ["11-20T13:00:00 started run_1"]);
    await first.stop();
    await untilSlots(world, ["11-20T13:00:00 started run_1"]);
    const next = await world.start();
    await until(() => next.began.length === 1, "the run is resumed");
    expect(next.began[0]?.runId).toBe("run_1");
    await next.began[0]?.end();
    await untilSlots(world, ["11-20T13:00:00 done run_1"]);
  });
});

describe("two schedulers of one ledger", () => {
  it("begin one run of each slot", async () => {
    const world = await open();
    const both = [await world.start(), await world.start()];
    await world.pass(31 * MINUTE_MS);
    await until(() => both.some(({ began }) => began.length > 0), "a run");
    expect(both.flatMap(({ began }) => began)).toHaveLength(1);
    expect(await world.slots(NEWS)).toHaveLength(1);
  });
});

const noRedis = findRedisProblem();
describe.skipIf(noRedis !== null)(`with Redis${noRedis === null ? "" : ` (skipped: ${noRedis})`}`, () => {
  const begin = async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const world = await open({ ...HOURLY, queueUrl: server.url });
    return { server, world, service: await world.start() };
  };
  const countSchedulers = async (call: (command: string, ...args: string[]) => Promise<unknown>) => {
    const keys = (await call("KEYS", "*/schedules:repeat")) as string[];
    return keys[0] === undefined ? 0 : Number(await call("ZCARD", keys[0]));
  };

  it("sets the schedulers again after FLUSHALL", async () => {
    const { server, world } = await begin();
    await until(async () => (await countSchedulers(server.call)) === 2, "the schedulers are set");
    await server.flush();
    expect(await countSchedulers(server.call)).toBe(0);
    await world.pass(MINUTE_MS);
    await until(async () => (await countSchedulers(server.call)) === 2, "the schedulers are set again");
  });

  it("goes on without it, says so once, and uses it again when it is back", async () => {
    const { server, world, service } = await begin();
    await server.kill();
    await world.pass(31 * MINUTE_MS);
    await untilSlots(world, ["11-20T13:00:00 started run_1"]);
    const said = () => service.logged.filter((line) => line.startsWith("warn: the queue of schedules failed"));
    expect(said()).toHaveLength(1);
    await server.start();
    await world.pass(MINUTE_MS);
    await until(async () => (await countSchedulers(server.call)) === 2, "the schedulers are set again");
    expect(service.logged).toContain("info: the queue of schedules succeeds again");
  });
});
