/**
 * Keeps the queue of schedules: opens it, sets the schedulers, and sets them again when the server lost them (FLUSHALL, a restart
 * without a file, another server). A queue that is away keeps no schedule from running: the watchdog looks at the clock itself.
 */
import type { ConfiguredSchedule } from "../../agent/reports/configured-schedules.ts";
import type { ScheduleQueue } from "../../queue/schedule-queue.ts";
import type { ServiceContext } from "../service-part.ts";
import { createTimedTask } from "../timed-tasks/timed-task.ts";

/** How often the schedulers are counted. */
const LOOK_MS = 10_000;

export interface ScheduleWaker {
  start(): Promise<void>;
  /** The queue did not wake for a slot: it is opened again at the next look. */
  repair(): void;
  stop(): Promise<void>;
}

interface WakerOptions extends Pick<ServiceContext, "log"> {
  readonly resources: Pick<ServiceContext["resources"], "clock" | "openScheduleQueue">;
  readonly schedules: readonly ConfiguredSchedule[];
  readonly onDue: (schedule: string) => Promise<void>;
}

export function createScheduleWaker({ resources, log, schedules, onDue }: WakerOptions): ScheduleWaker {
  let queue: ScheduleQueue | null = null;
  let isBroken = false;

  // The queue is opened again after each outage.
  const warned = new Set<string>();
  const warnOnce = (warning: string) => {
    log[warned.has(warning) ? "debug" : "warn"](warning);
    warned.add(warning);
  };
  const closeQueue = async (): Promise<void> => {
    const closing = queue;
    queue = null;
    isBroken = false;
    await closing?.close();
  };
  const open = async (): Promise<ScheduleQueue> => {
    queue = await resources.openScheduleQueue({
      onDue,
      onWarning: warnOnce,
      // The next look fails, and says so.
      onConnection: (sentence) => log.debug(sentence),
    });
    // Also when the number is right: the schedulers may be those of an earlier configuration.
    await queue.setSchedules(schedules);
    return queue;
  };
  const look = async (): Promise<void> => {
    if (isBroken) {
      await closeQueue();
    }
    try {
      const opened = queue ?? (await open());
      if ((await opened.countSchedules()) !== schedules.length) {
        await opened.setSchedules(schedules);
      }
    } catch (error) {
      // A connection that broke may never wake again, whatever the server does: the next look opens another one.
      await closeQueue();
      throw error;
    }
  };

  const task = createTimedTask({
    name: "queue of schedules",
    everyMs: LOOK_MS,
    work: look,
    about: { dependency: "queue" },
    clock: resources.clock,
    log,
  });
  return {
    start: () => task.start(),
    repair: () => {
      isBroken = true;
    },
    stop: async () => {
      await task.stop();
      await closeQueue();
    },
  };
}
