/**
 * Things that are taken together, those of a few milliseconds: what is paid each time (a commit with its fsync, a message to another thread) is
 * then paid once for all of them.
 */
import type { Clock } from "../../time/clock.ts";

/** A caller that is alone would wait for nothing, so after one caller by itself nothing waits. */
const IDLE_WAIT_MS = 1;
/** So many things taken together mean load. */
const BUSY_THINGS = 4;
/**
 * Under load the wait goes on while each slice brings company, until there is enough of it. Slices are short: when none comes, it may be because all
 * who could come wait here already, and nothing else is done meanwhile.
 */
const SLICE_MS = 2;
const MAX_SLICES = 12;
const ENOUGH_THINGS = 48;
/** Enough to make the price of each small, few enough to bound a transaction. */
export const MAX_GATHERED = 512;
/** A transaction goes to the log as a whole: half of what the log holds before it is moved into the file (connection.ts). */
export const MAX_GATHERED_BYTES = 16 * 1_024 * 1_024;

export interface GatheringOptions {
  /** How long the wait is under load. @default as long as company comes, but not longer than 24 ms */
  readonly loadWaitMs?: number;
  /** Resolves when more may be taken. Things wait for it after their wait for company. @default now */
  readonly ready?: (() => Promise<void>) | undefined;
}

export interface Gathering<Thing> {
  /** @param bytes of the thing, as far as they are many. @default 0 */
  add(thing: Thing, bytes?: number): void;
  /** Takes what has been gathered, if anything, now. */
  takeNow(): void;
}

/** @param take gets at least one thing */
export function createGathering<Thing>(
  clock: Pick<Clock, "sleep">,
  take: (things: readonly Thing[]) => void,
  { loadWaitMs, ready }: GatheringOptions = {},
): Gathering<Thing> {
  let gathered: Thing[] = [];
  let bytes = 0;
  let lastCount = 0;
  /** What one caller asks for at once, such as a write and the leases that follow it, comes without a wait in between. */
  let atOnce = 0;
  let wasOneCaller = true;
  let isWaiting = false;

  function takeNow(): void {
    const things = gathered;
    gathered = [];
    bytes = 0;
    lastCount = things.length;
    wasOneCaller = lastCount <= Math.max(1, atOnce);
    if (things.length > 0) {
      take(things);
    }
  }

  async function waitForCompany(): Promise<void> {
    if (lastCount < BUSY_THINGS) {
      await clock.sleep(wasOneCaller ? 0 : IDLE_WAIT_MS);
      return;
    }
    if (loadWaitMs !== undefined) {
      await clock.sleep(loadWaitMs);
      return;
    }
    for (let slice = 1; slice <= MAX_SLICES; slice += 1) {
      const before = gathered.length;
      await clock.sleep(SLICE_MS);
      if (gathered.length === before || gathered.length >= ENOUGH_THINGS) {
        return;
      }
    }
  }

  /** What was taken early (too many, or `takeNow`) leaves its wait running: it then takes what has come since, or nothing. */
  async function takeSoon(): Promise<void> {
    isWaiting = true;
    await null;
    atOnce = gathered.length;
    await waitForCompany();
    await ready?.();
    isWaiting = false;
    takeNow();
  }

  return {
    add(thing, thingBytes = 0) {
      bytes += thingBytes;
      if (gathered.push(thing) >= MAX_GATHERED || bytes >= MAX_GATHERED_BYTES) {
        takeNow();
      } else if (!isWaiting) {
        void takeSoon();
      }
    },
    takeNow,
  };
}

/** Waits only until the event loop has done what is due: for things that already come together. */
export const NEXT_TURN: Pick<Clock, "sleep"> = {
  sleep: () => new Promise((resolve) => setImmediate(resolve)),
};
