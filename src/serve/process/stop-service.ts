/**
 * Stops the service in time. The working steps end together: parts, runs, reports. The closing steps come one after the other, and have
 * a part of the time for certain. A step that hangs (a silent gateway, a queue that is gone) is left when its time is over; the ledger
 * survives that like a crash, and the next service continues.
 */

import type { Resources } from "../../agent/compose.ts";
import { messageOf } from "../../errors.ts";
import type { ServiceLog } from "../log/service-log.ts";

export interface StopStep {
  /** For the log, as in `runs did not end in time`. */
  readonly name: string;
  /** @param signal aborts when the time of the step is over */
  readonly work: (signal: AbortSignal) => Promise<unknown>;
}

export interface StopDeps {
  readonly clock: Resources["clock"];
  readonly log: ServiceLog;
  /** The time of all steps together. */
  readonly withinMs: number;
}

/** The share of the whole time that is kept for closing, and the most of it. */
const CLOSING_SHARE = 0.2;
const MAX_CLOSING_MS = 3_000;
/** The same for the end of the process, after the last step. */
const EXIT_SHARE = 0.05;
const MAX_EXIT_MS = 500;

/**
 * Never throws.
 * @returns the names of the steps that did not end in time
 */
export async function stopInTime(
  { clock, log, withinMs }: StopDeps,
  { working, closing }: { readonly working: readonly StopStep[]; readonly closing: readonly StopStep[] },
): Promise<readonly string[]> {
  const closingMs = Math.min(MAX_CLOSING_MS, withinMs * CLOSING_SHARE);
  const exitMs = Math.min(MAX_EXIT_MS, withinMs * EXIT_SHARE);
  const workingMs = withinMs - closingMs - exitMs;
  const late = await inTime({ clock, log, withinMs: workingMs }, (begin) => Promise.all(working.map(begin)));
  const lateToClose = await inTime({ clock, log, withinMs: closingMs }, async (begin) => {
    for (const step of closing) {
      await begin(step);
    }
  });
  return [...late, ...lateToClose];
}

async function inTime(
  { clock, log, withinMs }: StopDeps,
  workThrough: (begin: (step: StopStep) => Promise<void>) => Promise<unknown>,
): Promise<readonly string[]> {
  const over = new AbortController();
  const done = new AbortController();
  const open = new Set<string>();
  const begin = async ({ name, work }: StopStep): Promise<void> => {
    open.add(name);
    try {
      await work(over.signal);
    } catch (error) {
      log.warn(`stopping: ${name} failed: ${messageOf(error)}`, { step: name });
    }
    open.delete(name);
  };
  const timeout = clock.sleep(withinMs, done.signal).then(() => over.abort());
  // What the end of the time aborts may still end at once.
  await Promise.race([workThrough(begin), timeout.then(nextTurn)]);
  done.abort();
  for (const step of open) {
    log.warn(`stopping: ${step} did not end in time; the next service continues`, { step });
  }
  return [...open];
}

/** Everything that is ready has run when this resolves. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
