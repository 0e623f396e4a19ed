/** Each part that notices an outage names what is away (`dependency`), so that the log tells of it once for all of them. */
import { expect, it } from "vitest";
import { EventBus } from "../../../../src/agent/events/events.ts";
import type { Outage } from "../../../../src/agent/runs/outages.ts";
import { logEvents } from "../../../../src/serve/log/event-lines.ts";
import { logOutagesOnce } from "../../../../src/serve/log/log-outages-once.ts";
import type { LogFields, ServiceLog } from "../../../../src/serve/log/service-log.ts";
import { createReadiness, PROBE_CACHE_MS } from "../../../../src/serve/process/readiness.ts";
import type { RunManager } from "../../../../src/serve/runs/run-manager.ts";
import { createScheduleWaker } from "../../../../src/serve/schedules/schedule-waker.ts";
import { createFakeClock } from "../../../doubles/fake-clock.ts";

interface Line {
  readonly level: "info" | "warn";
  readonly message: string;
  readonly dependency: unknown;
}

function createWorld() {
  const clock = createFakeClock();
  const lines: Line[] = [];
  const note = (level: Line["level"]) => (message: string, fields?: LogFields) => {
    lines.push({ level, message, dependency: fields?.dependency });
  };
  const log: ServiceLog = { debug: () => {}, info: note("info"), warn: note("warn") };
  return { clock, lines, log };
}

type World = ReturnType<typeof createWorld>;

/** What probes for `/readyz` find: away, and there again. */
async function probeQueue({ clock }: World, log: ServiceLog): Promise<void> {
  let ok = false;
  const fine = async () => ({ ok: true, detail: "fine" });
  const queue = async () => ({ ok, detail: ok ? "fine" : "refused" });
  const readiness = createReadiness({ clock, log }, { ledger: fine, gateway: fine, clock: fine, queue });
  await readiness.read();
  ok = true;
  clock.advance(PROBE_CACHE_MS);
  await readiness.read();
}

/** What runs find that wait for the queue. */
async function waitForQueue({ clock }: World, log: ServiceLog): Promise<void> {
  let tell: (outage: Outage, isOver: boolean) => void = () => {};
  const runs = {
    onStart: () => () => {},
    onOutage: (listener: typeof tell) => {
      tell = listener;
      return () => {};
    },
  } as unknown as RunManager;
  logEvents({
    runs,
    bus: new EventBus(),
    log,
    resources: { clock, waits: { onChange: () => {} } },
  } as unknown as Parameters<typeof logEvents>[0]);
  const outage: Outage = {
    place: "queue",
    code: "QUEUE_UNREACHABLE",
    message: "refused",
    hint: null,
    since: clock.now(),
  };
  tell(outage, false);
  tell(outage, true);
}

/** What the queue of schedules finds. */
async function openQueueOfSchedules({ clock }: World, log: ServiceLog): Promise<void> {
  let isThere = false;
  const queue = { setSchedules: async () => {}, countSchedules: async () => 0, close: async () => {} };
  const looks: (() => void)[] = [];
  const waker = createScheduleWaker({
    resources: {
      clock: { ...clock, sleep: () => new Promise<void>((resolve) => void looks.push(resolve)) },
      openScheduleQueue: async () => {
        if (!isThere) {
          throw new Error("refused");
        }
        return queue as never;
      },
    },
    log,
    schedules: [],
    onDue: async () => {},
  });
  await waker.start();
  await expect.poll(() => looks.length).toBe(1);
  isThere = true;
  looks[0]?.();
  await expect.poll(() => looks.length).toBe(2);
  const stopped = waker.stop();
  looks[1]?.();
  await stopped;
}

const PARTS = [
  ["the probes of /readyz", probeQueue],
  ["runs that wait", waitForQueue],
  ["the queue of schedules", openQueueOfSchedules],
] as const;

it.each(PARTS)("%s name the queue in the line of its outage and of its end", async (_, notice) => {
  const world = createWorld();
  await notice(world, world.log);
  expect(world.lines.map(({ level, dependency }) => [level, dependency])).toEqual([
    ["warn", "queue"],
    ["info", "queue"],
  ]);
});

it("an outage that all of them notice is one line", async () => {
  const world = createWorld();
  const log = logOutagesOnce({ ...world.log, info: () => {} }, world.clock);
  for (const [, notice] of PARTS) {
    await notice(world, { ...log, info: () => {} });
  }
  expect(world.lines).toHaveLength(1);
});
