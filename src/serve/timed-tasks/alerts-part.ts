/** The service raises and delivers alerts every few seconds. */
import { createNotifierOn } from "../../agent/alerts/alerting.ts";
import type { ServiceContext, ServicePart } from "../service-part.ts";
import { createTimedTask } from "./timed-task.ts";

const EVERY_MS = 5_000;
/** Attempts that begin in one turn end in it. */
const TIME_LIMIT_MS = 15_000;

export function createAlerts({ resources, runs, log }: ServiceContext): ServicePart {
  const notifier = createNotifierOn(resources, log);
  const task = createTimedTask({
    name: "alerts",
    everyMs: EVERY_MS,
    clock: resources.clock,
    log,
    work: async (signal) => {
      const { raised, delivered } = await notifier.notify(await resources.ledger("existing"), {
        timeLimitMs: TIME_LIMIT_MS,
        signal,
      });
      if (raised + delivered > 0) {
        log.info(`${raised} alerts are raised, ${delivered} are delivered`, { raised, delivered });
      }
    },
  });
  runs.onStart(({ ended }) => void ended.then(() => task.wake()));
  return {
    name: task.name,
    start: async () => {
      if (notifier.receivers.length > 0) {
        await notifier.begin(await resources.ledger("existing"));
        await task.start();
      }
    },
    stop: () => task.stop(),
  };
}
