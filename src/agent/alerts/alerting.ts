/**
 * Alerts of a call that works on its own: `agent.run`, `agent.report`. Receivers are told after the work, within a short time; what they do
 * not take stays in the ledger for the next process. Whatever fails here is a warning: it changes no result and no exit code.
 */

import { dirname } from "node:path";
import { isLicetError, messageOf } from "../../errors.ts";
import { readFreeBytes } from "../../ledger/sqlite/engine/disk-room.ts";
import { createNotifier, type Notifier } from "../../notify/notifier.ts";
import type { Resources } from "../compose.ts";
import type { EventBus } from "../events/events.ts";

/** How long a call waits for receivers. */
const TIME_LIMIT_MS = 5_000;

/** @param log where failed deliveries go */
export function createNotifierOn(
  { config, clock, random }: Pick<Resources, "config" | "clock" | "random">,
  log: Parameters<typeof createNotifier>[0]["log"],
): Notifier {
  // A program that is told of an alert gets the environment of this process, without secrets.
  const freeBytes = () => readFreeBytes(dirname(config.ledger.path));
  return createNotifier({ config, clock, random, freeBytes, env: process.env, log });
}

export interface Alerting {
  /** Works on a run, and then tells what happened since it began, also if it failed. A run that did not begin tells nothing. */
  aroundRun<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The same for work that needs a ledger that is there. */
  around<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Receivers are read from the configuration by the first call that may tell them: other calls need no secret of theirs. */
export function createAlerting(resources: Resources, bus: EventBus): Alerting {
  let alerting: Alerting | null = null;
  const open = (): Alerting => (alerting ??= openAlerting(resources, bus));
  return {
    aroundRun: async (work) => open().aroundRun(work),
    around: async (work) => open().around(work),
  };
}

function openAlerting(resources: Resources, bus: EventBus): Alerting {
  const warn = (message: string) => bus.emit("warning", { message });
  const notifier = createNotifierOn(resources, { debug: () => {}, warn });
  if (notifier.receivers.length === 0) {
    return { aroundRun: (work) => work(), around: (work) => work() };
  }

  const admit = async () => notifier.begin(await resources.ledger("existing"));

  /** @param begin null: no run began, so nothing can have happened */
  async function notifyReceivers(begin: Promise<void> | null): Promise<void> {
    if (begin === null) {
      return;
    }
    try {
      await begin;
      await notifier.notify(await resources.ledger("existing"), { timeLimitMs: TIME_LIMIT_MS });
    } catch (error) {
      // Without a ledger, the work itself says so.
      if (isLicetError(error, "LEDGER_MISSING")) {
        return;
      }
      warn(`alerts are not sent: ${messageOf(error)}`);
    }
  }

  async function workAndNotify<Result>(
    work: () => Promise<Result>,
    begun: () => Promise<void> | null,
  ): Promise<Result> {
    try {
      return await work();
    } finally {
      await notifyReceivers(begun());
    }
  }

  return {
    aroundRun: async (work) => {
      let begin: Promise<void> | null = null;
      const onStart = () => {
        begin = admit();
        // `tell` says what went wrong.
        begin.catch(() => undefined);
      };
      bus.on("run.started", onStart);
      return workAndNotify(work, () => {
        bus.off("run.started", onStart);
        return begin;
      });
    },
    around: (work) => {
      const begin = admit();
      begin.catch(() => undefined);
      return workAndNotify(work, () => begin);
    },
  };
}
