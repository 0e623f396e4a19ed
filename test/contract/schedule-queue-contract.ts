import { describe, expect, it, onTestFinished } from "vitest";
import { type OpenScheduleQueueOptions, openScheduleQueue } from "../../src/queue/bullmq-schedule-queue.ts";
import type { QueuedSchedule, ScheduleQueue } from "../../src/queue/schedule-queue.ts";

/** What a backend gives the suite. */
export interface ScheduleQueueBackend {
  url(): string;
  /** False when the queue is in the process that opened it. */
  readonly isShared: boolean;
}

const EACH_SECOND: QueuedSchedule["timing"] = { kind: "cron", cron: "* * * * * *", timeZone: "UTC" };
export const OFTEN: QueuedSchedule["timing"] = { kind: "every", everyMs: 150 };
/** Never in the time of a test. */
export const RARELY: QueuedSchedule["timing"] = { kind: "cron", cron: "0 0 1 1 *", timeZone: "Asia/Tokyo" };

export interface WatchedQueue {
  readonly queue: ScheduleQueue;
  /** The schedules that were woken so far. */
  readonly woken: readonly string[];
  readonly warnings: readonly string[];
  /** Resolves with the next wake-up of a schedule. */
  untilWoken(schedule: string): Promise<void>;
  untilWarned(pattern: RegExp): Promise<void>;
}

/** Opens a queue and writes down what it does. It is closed when the test has finished. */
export async function openWatched(
  options: Pick<OpenScheduleQueueOptions, "url" | "prefix">,
  onDue: (schedule: string) => Promise<void> = async () => {},
): Promise<WatchedQueue> {
  const woken: string[] = [];
  const warnings: string[] = [];
  const looks = new Set<() => void>();
  const look = () => {
    for (const one of [...looks]) {
      one();
    }
  };
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const one = () => {
        if (holds()) {
          looks.delete(one);
          resolve();
        }
      };
      looks.add(one);
      one();
    });
  const queue = await openScheduleQueue({
    ...options,
    onDue: async (schedule) => {
      woken.push(schedule);
      look();
      await onDue(schedule);
    },
    onWarning: (warning) => {
      warnings.push(warning);
      look();
    },
  });
  onTestFinished(() => queue.close());
  return {
    queue,
    woken,
    warnings,
    untilWoken: (schedule) => {
      const before = woken.filter((name) => name === schedule).length;
      return until(() => woken.filter((name) => name === schedule).length > before);
    },
    untilWarned: (pattern) => until(() => warnings.some((warning) => pattern.test(warning))),
  };
}

let prefixes = 0;
export const newPrefix = (): string => `schedules-${process.pid}-${++prefixes}`;

/** What the queue of schedules does on every backend. */
export function describeScheduleQueueContract(name: string, backend: ScheduleQueueBackend): void {
  const open = (prefix = newPrefix(), onDue?: (schedule: string) => Promise<void>) =>
    openWatched({ url: backend.url(), prefix }, onDue);

  describe(`the queue of schedules on ${name}`, () => {
    it("wakes for each slot with the name of the schedule, and only for what is due", async () => {
      const { queue, woken, untilWoken } = await open();
      // A name as of a site that is an address of IP version 6.
      await queue.setSchedules([
        { name: "site:[::1]:8402", timing: EACH_SECOND },
        { name: "site:news.example", timing: RARELY },
      ]);
      await untilWoken("site:[::1]:8402");
      await untilWoken("site:[::1]:8402");
      expect(new Set(woken)).toEqual(new Set(["site:[::1]:8402"]));
    });

    it("wakes at the multiples of an interval", async () => {
      const { queue, untilWoken } = await open();
      await queue.setSchedules([{ name: "report", timing: OFTEN }]);
      await untilWoken("report");
      await untilWoken("report");
      expect(await queue.countSchedules()).toBe(1);
    });

    it("has one scheduler of each schedule, however often it is set, and removes what is not set", async () => {
      const { queue } = await open();
      const set = (...names: string[]) => queue.setSchedules(names.map((one) => ({ name: one, timing: RARELY })));
      await set("a", "b", "c");
      await set("a", "b", "c");
      expect(await queue.countSchedules()).toBe(3);
      await set("b");
      expect(await queue.countSchedules()).toBe(1);
      await set();
      expect(await queue.countSchedules()).toBe(0);
    });

    it("follows a changed timing", async () => {
      const { queue, untilWoken } = await open();
      await queue.setSchedules([{ name: "a", timing: RARELY }]);
      await queue.setSchedules([{ name: "a", timing: OFTEN }]);
      await untilWoken("a");
      expect(await queue.countSchedules()).toBe(1);
    });

    it("goes on when a wake-up fails", async () => {
      const { queue, untilWoken, untilWarned } = await open(newPrefix(), async () => {
        throw new Error("the ledger is locked");
      });
      await queue.setSchedules([{ name: "a", timing: OFTEN }]);
      await untilWoken("a");
      await untilWarned(/the ledger is locked/);
      await untilWoken("a");
    });

    it(`${backend.isShared ? "keeps" : "loses"} its schedulers when it is closed`, async () => {
      const prefix = newPrefix();
      const first = await open(prefix);
      await first.queue.setSchedules([{ name: "a", timing: OFTEN }]);
      await first.queue.close();
      const second = await open(prefix);
      expect(await second.queue.countSchedules()).toBe(backend.isShared ? 1 : 0);
      if (backend.isShared) {
        await second.untilWoken("a");
      }
      await second.queue.setSchedules([]);
    });

    it("is another queue under another prefix", async () => {
      const [one, other] = [await open(), await open()];
      await one.queue.setSchedules([{ name: "a", timing: RARELY }]);
      await other.queue.setSchedules([]);
      expect([await one.queue.countSchedules(), await other.queue.countSchedules()]).toEqual([1, 0]);
    });
  });
}
