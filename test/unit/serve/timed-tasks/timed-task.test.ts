import { expect, it, onTestFinished } from "vitest";
import type { ServiceLog } from "../../../../src/serve/log/service-log.ts";
import { createTimedTask, type TimedTask } from "../../../../src/serve/timed-tasks/timed-task.ts";
import { createFakeClock } from "../../../doubles/fake-clock.ts";

const DAY_MS = 86_400_000;

function createWorld(everyMs: number, work: (signal: AbortSignal) => Promise<void>) {
  const clock = createFakeClock();
  const lines: string[] = [];
  const say = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  const log: ServiceLog = { debug: say("debug"), info: say("info"), warn: say("warn") };
  const task = createTimedTask({ name: "reading", everyMs, work, clock, log });
  onTestFinished(() => task.stop());
  return { clock, lines, task };
}

/** All that is ready has run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

async function startTask(task: TimedTask): Promise<void> {
  await task.start();
  await settle();
}

it("works at once after the start, and again after each pause", async () => {
  let times = 0;
  const { clock, task } = createWorld(1_000, async () => void times++);
  await startTask(task);
  expect(times).toBe(1);
  clock.advance(999);
  await settle();
  expect(times).toBe(1);
  clock.advance(1);
  await settle();
  expect(times).toBe(2);
});

it("never overlaps with itself: the pause begins when the work has ended", async () => {
  let end: () => void = () => {};
  let times = 0;
  const { clock, task } = createWorld(1_000, () => {
    times += 1;
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  await startTask(task);
  clock.advance(10_000);
  await settle();
  expect(times).toBe(1);
  end();
  await settle();
  clock.advance(1_000);
  await settle();
  expect(times).toBe(2);
  end();
});

it("goes on after errors, and logs the first of several and the end of them", async () => {
  let times = 0;
  const { clock, lines, task } = createWorld(1_000, async () => {
    times += 1;
    if (times < 3) {
      throw new Error("the gateway is away");
    }
  });
  await startTask(task);
  for (let round = 0; round < 3; round++) {
    clock.advance(1_000);
    await settle();
  }
  expect(lines).toEqual([
    "warn: the reading failed: the gateway is away",
    "debug: the reading failed: the gateway is away",
    "info: the reading succeeds again",
  ]);
});

it("stops when the work under way has ended, and tells it to end", async () => {
  let seen: AbortSignal | null = null;
  const { task } = createWorld(1_000, (signal) => {
    seen = signal;
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
  });
  await startTask(task);
  await task.stop();
  expect(seen).toMatchObject({ aborted: true });
});

it("begins at once when it is woken, also when it is woken during the work", async () => {
  let end: () => void = () => {};
  let times = 0;
  const { task } = createWorld(DAY_MS, () => {
    times += 1;
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  await startTask(task);
  task.wake();
  end();
  await settle();
  expect(times).toBe(2);
  end();
  await settle();
  task.wake();
  await settle();
  expect(times).toBe(3);
  end();
});

it("pauses longer than a timer of Node can", async () => {
  let times = 0;
  const { clock, task } = createWorld(40 * DAY_MS, async () => void times++);
  await startTask(task);
  for (let day = 0; day < 39; day++) {
    clock.advance(DAY_MS);
    await settle();
  }
  expect(times).toBe(1);
  expect(Math.max(...clock.sleeps)).toBeLessThan(2 ** 31);
  clock.advance(DAY_MS);
  await settle();
  expect(times).toBe(2);
});
