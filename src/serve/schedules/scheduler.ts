/**
 * The schedules of the service. The queue wakes for a slot, and so does the watchdog, a timer that needs no queue: both only look at the
 * clock and the ledger. Whether a slot runs is decided by its row, which one look inserts; so a slot runs once, however many wake-ups
 * there are, and it runs although the queue is away.
 *
 * A look at a schedule finds the slots between its last row and now. Usually that is one, just due. Several, or one that is long over,
 * are a misfire (schedule/misfire.ts): the service was not running, the machine was suspended, or its clock was set forward. After the
 * clock was set back, the rows of the time that comes again are there already.
 */
import { listSchedules } from "../../agent/reports/configured-schedules.ts";
import type { ServicePart } from "../service-part.ts";
import { createTimedTask } from "../timed-tasks/timed-task.ts";
import { createScheduleWaker } from "./schedule-waker.ts";
import { type SchedulerContext, ScheduleWatch } from "./schedule-watch.ts";

/** The watchdog leaves a slot to the queue for so long. */
const OVERDUE_MS = 1_500;
/** The watchdog looks at the clock at least so often: the clock may have been set, and the machine suspended. */
const MAX_WATCH_MS = 15_000;
const MIN_WATCH_MS = 1_000;
/** How often old rows are deleted, and how many of each schedule stay: those of a day of a schedule of ten seconds. */
const TRIM_MS = 3_600_000;
const KEPT_SLOTS = 10_000;

export function createScheduler(context: SchedulerContext): ServicePart {
  const { config, resources, log } = context;
  const { clock } = resources;
  const schedules = listSchedules(config);
  const slots = new ScheduleWatch(context, schedules);
  let trimmedAt = clock.now();

  const watch = async (): Promise<void> => {
    const now = clock.now();
    await slots.takeUpLeft();
    for (const { name, isKnown } of slots.overdue(OVERDUE_MS)) {
      if ((await slots.look(name)) && isKnown) {
        log.debug(`${name}: the queue did not wake for a slot; the watchdog began it`, { schedule: name });
        waker.repair();
      }
    }
    if (Math.abs(now - trimmedAt) >= TRIM_MS) {
      trimmedAt = now;
      await slots.trim(KEPT_SLOTS);
    }
  };
  const pauseMs = () => Math.min(MAX_WATCH_MS, Math.max(MIN_WATCH_MS, slots.nextAt() + OVERDUE_MS - clock.now()));
  const watchdog = createTimedTask({ name: "watchdog of schedules", everyMs: pauseMs, work: watch, clock, log });
  const waker = createScheduleWaker({
    resources,
    log,
    schedules,
    // What fails is said by the watchdog, which looks again.
    onDue: (name) =>
      slots.look(name).then(
        () => {},
        () => {},
      ),
  });

  return {
    name: "schedules",
    start: async () => {
      await watchdog.start();
      await waker.start();
    },
    stop: async () => {
      await Promise.all([watchdog.stop(), waker.stop()]);
      await slots.settle();
    },
  };
}
