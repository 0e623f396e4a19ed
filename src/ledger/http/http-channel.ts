/**
 * The messages of a port as requests: each is sent until its answer arrives, a few at once. What is lost on the way is sent again as it was, and the
 * other side works on it once (repeats.ts).
 */
import pLimit from "p-limit";
import { isLicetError, LicetError } from "../../errors.ts";
import { backoffMs } from "../../time/backoff.ts";
import { type Clock, elapsedMs } from "../../time/clock.ts";
import { inTime } from "../../time/in-time.ts";
import type { Channel } from "../messages/calls.ts";
import { type Body, packMessage, unpackMessage } from "./body.ts";
import type { NumberedRequest } from "./repeats.ts";

/**
 * Sends one request, once.
 * @throws LicetError of the other side, or SERVICE_UNREACHABLE when no usable answer came
 */
export type Exchange = (request: NumberedRequest, body: Body, signal: AbortSignal) => Promise<Body>;

export interface HttpChannelOptions {
  readonly exchange: Exchange;
  readonly clock: Clock;
  /** 0 ≤ x < 1, for jitter. */
  readonly random: () => number;
  /** Whether long messages are compressed on their way. @default true */
  readonly compresses?: boolean;
  /** A request without an answer for this long is given up. @default 30 seconds */
  readonly giveUpMs?: number;
}

/** Messages under way at once. More of them wait (back-pressure). */
const MESSAGES_AT_ONCE = 4;
/** Calls wait so long for the answer to the message that is under way, and leave together then. A slow one does not hold up the others for longer. */
const COMPANY_MS = 100;
const ATTEMPT_MS = 15_000;
const GIVE_UP_MS = 30_000;
const BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 3_000;

export interface HttpChannel extends Channel {
  /** Gives up what is under way. */
  close(): void;
}

export function createHttpChannel(options: HttpChannelOptions): HttpChannel {
  const closing = new AbortController();
  const line = pLimit(MESSAGES_AT_ONCE);
  const underWay = new Set<number>();
  let last = 0;
  let sending = 0;
  let idle = new AbortController();
  let receive: Parameters<Channel["listen"]>[0] = () => {};

  async function deliver(message: Parameters<Channel["send"]>[0]): Promise<Body> {
    const body = await packMessage(message, options.compresses);
    last += 1;
    const number = last;
    underWay.add(number);
    try {
      return await sendUntilAnswered(options, number, underWay, body, closing.signal);
    } finally {
      underWay.delete(number);
    }
  }

  return {
    send(message, fail) {
      sending += 1;
      void line(async () => {
        try {
          receive(await unpackMessage(await deliver(message)));
        } catch (error) {
          fail(error);
        } finally {
          sending -= 1;
          if (sending === 0) {
            idle.abort();
            idle = new AbortController();
          }
        }
      });
    },
    ready: async () => {
      if (sending > 0) {
        await options.clock.sleep(COMPANY_MS, idle.signal);
      }
    },
    listen: (listener) => {
      receive = listener;
    },
    // A request under way keeps the process alive.
    hold: () => {},
    release: () => {},
    close: () => closing.abort(),
  };
}

async function sendUntilAnswered(
  { exchange, clock, random, giveUpMs = GIVE_UP_MS }: HttpChannelOptions,
  number: number,
  underWay: ReadonlySet<number>,
  body: Body,
  closing: AbortSignal,
): Promise<Body> {
  const since = elapsedMs(clock);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const request = { number, done: Math.min(...underWay) - 1 };
      return await inTime(clock, ATTEMPT_MS, (signal) => exchange(request, body, signal), closing);
    } catch (error) {
      const mayHelp = isLicetError(error) && error.retry === "later" && !isLicetError(error, "WORKER_EXPIRED");
      if (!mayHelp || closing.aborted || elapsedMs(clock) - since >= giveUpMs) {
        throw closing.aborted ? new LicetError("INTERRUPTED", "the worker has ended") : error;
      }
    }
    await clock.sleep(backoffMs(attempt, BACKOFF_MS, MAX_BACKOFF_MS, random), closing);
  }
}
