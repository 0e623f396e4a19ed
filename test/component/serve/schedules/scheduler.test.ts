import { describe, expect, it } from "vitest";
import { createSchedulerWorld, type SchedulerOptions, type SchedulerWorld, until } from "./scheduler-world.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NEWS = "site:news.example";
const HOURLY: SchedulerOptions = { schedules: { "news.example": "0 * * * *" } };

const open = (options: SchedulerOptions = HOURLY, startAt = "2026-11-20T12:30:00Z") =>
  createSchedulerWorld(options, startAt);

async function expectSlots(world: SchedulerWorld, slots: readonly string[], schedule = NEWS): Promise<void> {
  let seen: string[] = [];
  await until(
    async () => {
      seen = await world.slots(schedule);
      return JSON.stringify(seen) === JSON.stringify(slots);
    },
    `the slots ${slots.join(", ")}`,
  ).catch(() => expect(seen).toEqual(slots));
}

describe("a schedule", () => {
  it("starts a run for each slot, and the slot ends with its run", async () => {
    const world = await open();
    const service = await world.start();
    await world.pass(30 * MINUTE_MS);
    await expectSlots(world, []);
    await world.pass(5_000, 500);
    await expectSlots(world, ["11-20T13:00:00 started run_1"]);
    await service.began[0]?.end();
    await expectSlots(world, ["11-20T13:00:00 done run_1"]);
    await world.pass(HOUR_MS);
    await expectSlots(world, ["11-20T13:00:00 done run_1", "11-20T14:00:00 started run_2"]);
    await service.began[1]?.end("budget_exhausted");
    await until(async () => (await world.rows(NEWS))[0]?.state === "done", "the second slot ends");
    expect((await world.rows(NEWS))[0]).toMatchObject({ detail: "the run ended as budget_exhausted" });
  });

  it("of each site has runs of its own, also in the same slot", async () => {
    const world = await open({ schedules: { "news.example": "0 * * * *", "other.example": "0 * * * *" } });
    const service = await world.start();
    await world.pass(31 * MINUTE_MS);
    await until(() => service.began.length === 2, "two runs");
    expect(service.began.map(({ host }) => host).sort()).toEqual(["news.example", "other.example"]);
  });

  it("has no misfires when it is new", async () => {
    const world = await open({ schedules: { "news.example": "* * * * * *" } });
    await world.start();
    expect(await world.slots(NEWS)).toEqual([]);
  });

  it("refuses a slot while the run of the slot before is at work, and says which", async () => {
    const world = await open();
    const service = await world.start();
    await world.pass(91 * MINUTE_MS);
    await expectSlots(world, ["11-20T13:00:00 started run_1", "11-20T14:00:00 refused"]);
    expect((await world.rows(NEWS))[0]).toMatchObject({
      detail: "the slot of 2026-11-20T13:00:00.000Z is at work as run run_1: nothing was begun",
    });
    expect(service.began).toHaveLength(1);
  });

  it("refuses a slot while another run of the site is at work, and says which", async () => {
    const world = await open();
    await world.start({ busy: "another process works on run run_9 of news.example" });
    await world.pass(31 * MINUTE_MS);
    await expectSlots(world, ["11-20T13:00:00 refused"]);
    expect((await world.rows(NEWS))[0]?.detail).toContain("run_9");
  });

  it("marks a slot as failed whose run failed", async () => {
    const world = await open();
    const service = await world.start();
    await world.pass(31 * MINUTE_MS);
    await until(() => service.began.length === 1, "a run");
    await service.began[0]?.end("failed");
    await expectSlots(world, ["11-20T13:00:00 failed run_1"]);
  });

  it("runs once in the hour that is missing, and once in the hour that comes twice", async () => {
    const berlin = { schedules: { "news.example": { cron: "30 2 * * *", timeZone: "Europe/Berlin" } } };
    const spring = await open(berlin, "2026-03-29T00:50:00Z");
    await spring.start();
    await spring.pass(2 * HOUR_MS);
    await expectSlots(spring, ["03-29T01:00:00 started run_1"]);
    const autumn = await open(berlin, "2026-10-25T00:20:00Z");
    const service = await autumn.start();
    await autumn.pass(15 * MINUTE_MS);
    await until(() => service.began.length === 1, "a run");
    await service.began[0]?.end();
    await autumn.pass(2 * HOUR_MS);
    await expectSlots(autumn, ["10-25T00:30:00 done run_1"]);
  });
});

describe("misfires", () => {
  const afterAStop = async (misfire: "once" | "skip", offMs: number) => {
    const world = await open({ schedules: { "news.example": { cron: "0 * * * *", misfire } } });
    const first = await world.start();
    await first.stop();
    world.clock.jump(offMs);
    const second = await world.start();
    return { world, second };
  };

  it("of once: one run for all slots that came while no service was running", async () => {
    const { world, second } = await afterAStop("once", 5 * HOUR_MS);
    await expectSlots(world, ["11-20T16:00:00 missed ×4", "11-20T17:00:00 started run_1"]);
    expect(second.logged.join("\n")).toContain("missed slots until 2026-11-20T16:00:00.000Z: 4");
  });

  it("of skip: no run", async () => {
    const { world, second } = await afterAStop("skip", 5 * HOUR_MS);
    await expectSlots(world, ["11-20T17:00:00 missed ×5"]);
    await world.pass(31 * MINUTE_MS);
    await expectSlots(world, ["11-20T17:00:00 missed ×5", "11-20T18:00:00 started run_1"]);
    expect(second.began).toHaveLength(1);
  });

  it("of a clock that is set forward a day are those of a day without a service", async () => {
    const world = await open({ schedules: { "news.example": { cron: "0 * * * *", misfire: "skip" } } });
    await world.start();
    world.clock.jump(24 * HOUR_MS);
    world.clock.advance(15_000);
    await world.looked();
    await expectSlots(world, ["11-21T12:00:00 missed ×24"]);
  });

  it("are counted up to a limit, however many there are", async () => {
    const world = await open({ schedules: { "news.example": "* * * * * *" } });
    await (await world.start()).stop();
    world.clock.jump(365 * 24 * HOUR_MS);
    await world.start();
    await expectSlots(world, ["11-20T12:29:59 missed ×1000", "11-20T12:30:00 started run_1"]);
  });

  it("wait for the end of the run that an earlier service left, and then have one run", async () => {
    const world = await open();
    const first = await world.start();
    await world.pass(31 * MINUTE_MS);
    await until(() => first.began.length === 1, "a run");
    await first.stop();
    world.clock.jump(3 * HOUR_MS);
    const second = await world.start();
    await expectSlots(world, ["11-20T13:00:00 started run_1"]);
    await until(() => second.began.length === 1, "the run goes on");
    await second.began[0]?.end();
    await expectSlots(world, ["11-20T13:00:00 done run_1"]);
    await world.pass(MINUTE_MS);
    await expectSlots(world, ["11-20T13:00:00 done run_1", "11-20T15:00:00 missed ×2", "11-20T16:00:00 started run_3"]);
  });
});

describe("the clock", () => {
  it("set back brings no slot again", async () => {
    const world = await open();
    const service = await world.start();
    await world.pass(31 * MINUTE_MS);
    await until(() => service.began.length === 1, "a run");
    await service.began[0]?.end();
    world.clock.turnBack(20 * MINUTE_MS);
    await world.pass(25 * MINUTE_MS);
    await expectSlots(world, ["11-20T13:00:00 done run_1"]);
    await world.pass(61 * MINUTE_MS);
    await expectSlots(world, ["11-20T13:00:00 done run_1", "11-20T14:00:00 started run_2"]);
  });

  it("that was a year ahead at the first start does not stop a schedule for a year", async () => {
    const world = await open(HOURLY, "2027-11-20T12:30:00Z");
    await (await world.start()).stop();
    world.clock.turnBack(365 * 24 * HOUR_MS);
    await world.start();
    await world.pass(31 * MINUTE_MS);
    await expectSlots(world, ["11-20T13:00:00 started run_1"]);
    expect((await world.rows(NEWS))[0]?.slotAt).toBe(Date.parse("2026-11-20T13:00:00Z"));
  });

  it("set back by a month while the schedules are recorded does not stop them for a month", async () => {
    const world = await open(HOURLY, "2026-12-20T12:30:00Z");
    const setBack = once("setSchedules", () => world.clock.turnBack(30 * 24 * HOUR_MS));
    await world.start({ onAnswer: setBack });
    await world.pass(31 * MINUTE_MS);
    await expectSlots(world, ["11-20T13:00:00 started run_1"]);
  });

  it("set back while a slot is looked for does not let it begin before its time", async () => {
    const world = await open();
    let setBack = (_operation: string) => {};
    const service = await world.start({ onAnswer: (operation) => setBack(operation) });
    setBack = once("readOwedAfter", () => world.clock.turnBack(31 * MINUTE_MS));
    await world.pass(31 * MINUTE_MS, 31 * MINUTE_MS);
    await world.pass(15_000);
    expect(service.began).toHaveLength(0);
    await world.pass(31 * MINUTE_MS);
    await expectSlots(world, ["11-20T13:00:00 started run_1"]);
  });
});

/** Does something when an operation answers for the first time. */
function once(operation: string, act: () => void): (answered: string) => void {
  let isDone = false;
  return (answered) => {
    if (answered === operation && !isDone) {
      isDone = true;
      act();
    }
  };
}

describe("a clock that was ahead for seconds", () => {
  const EIGHT_HOURS_MS = 8 * HOUR_MS;

  it("silences no schedule: what it called missed runs when it comes, and what ran under it runs once", async () => {
    const world = await open({ ...HOURLY, reportEvery: "1h" });
    const service = await world.start();
    world.clock.jump(EIGHT_HOURS_MS);
    await world.pass(15_000);
    await expectSlots(world, ["11-20T19:00:00 missed ×7", "11-20T20:00:00 started run_1"]);
    await service.began[0]?.end();
    await expectSlots(world, ["11-20T19:00:00 missed ×7", "11-20T20:00:00 done run_1"]);
    world.clock.turnBack(EIGHT_HOURS_MS);
    await world.pass(31 * MINUTE_MS);
    await expectSlots(world, ["11-20T13:00:00 started run_2", "11-20T20:00:00 done run_1"]);
    await service.began[1]?.end();
    expect(service.logged.join("\n")).toMatch(
      /warn: site:news.example: the clock was ahead when slots until 2026-11-20T20:00:00.000Z were recorded \(2 rows\); 1 rows/,
    );
    expect((await world.slots("report")).map((slot) => slot.slice(0, 14))).toEqual([
      "11-20T13:00:00",
      "11-20T20:00:00",
    ]);
    for (let hour = 14; hour <= 19; hour++) {
      await world.pass(HOUR_MS);
      await until(() => service.began.length === hour - 11, `the run of ${hour}:00`);
      await service.began.at(-1)?.end();
    }
    await world.pass(2 * HOUR_MS);
    const slots = await world.slots(NEWS);
    expect(slots.filter((slot) => slot.includes("T20:00:00"))).toEqual(["11-20T20:00:00 done run_1"]);
    expect(new Set(slots).size).toBe(slots.length);
    expect(slots.at(-1)).toMatch(/T21:00:00 started/);
  });

  it("silences no schedule of another machine, whose service runs meanwhile", async () => {
    const world = await open();
    await world.start();
    await world.pass(15_000);
    // What a service wrote two hours ahead, whose lease had just ended.
    const [firstAt, slotAt] = ["2026-11-20T13:00:00Z", "2026-11-20T14:00:00Z"].map((text) => Date.parse(text)) as [
      number,
      number,
    ];
    const now = slotAt + 30 * MINUTE_MS;
    const wrong = { schedule: NEWS, process: "elsewhere" };
    await world.ledger.missSlots({ ...wrong, slotAt: firstAt, firstAt, slots: 1, detail: "nobody watched", now });
    await world.ledger.claimSlot({ ...wrong, slotAt, now });
    await world.ledger.endSlot({ ...wrong, slotAt, state: "failed", detail: "its clock is ahead", now });
    await world.pass(31 * MINUTE_MS);
    await expectSlots(world, ["11-20T13:00:00 started run_1"]);
  });

  it("silences no schedule of the next service, and what had come by then stays missed", async () => {
    const world = await open();
    await (await world.start()).stop();
    // Without a service until 15:30, whose clock then shows 23:30.
    world.clock.jump(3 * HOUR_MS + EIGHT_HOURS_MS);
    const ahead = await world.start();
    await until(() => ahead.began.length === 1, "a run");
    await ahead.began[0]?.end();
    await expectSlots(world, ["11-20T22:00:00 missed ×10", "11-20T23:00:00 done run_1"]);
    await ahead.stop();
    world.clock.turnBack(EIGHT_HOURS_MS);
    const next = await world.start();
    await expectSlots(world, ["11-20T15:00:00 missed ×3", "11-20T23:00:00 done run_1"]);
    await world.pass(31 * MINUTE_MS);
    await expectSlots(world, ["11-20T15:00:00 missed ×3", "11-20T16:00:00 started run_2", "11-20T23:00:00 done run_1"]);
    expect(next.began).toHaveLength(1);
  });
});

describe("the configuration", () => {
  it("that changes a schedule ends the old one: its times are not owed", async () => {
    const world = await open();
    await (await world.start()).stop();
    world.clock.jump(3 * HOUR_MS);
    await world.start({ schedules: { "news.example": "15 * * * *" } });
    await world.pass(46 * MINUTE_MS);
    await expectSlots(world, ["11-20T16:15:00 started run_1"]);
  });

  it("without a schedule ends what it left open", async () => {
    const world = await open();
    const first = await world.start();
    await world.pass(31 * MINUTE_MS);
    await until(() => first.began.length === 1, "a run");
    await first.stop();
    await world.start({ schedules: {} });
    await expectSlots(world, ["11-20T13:00:00 failed run_1"]);
    expect((await world.rows(NEWS))[0]?.detail).toContain("the schedule was removed");
  });
});
