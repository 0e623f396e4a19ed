/**
 * A way to the service that loses requests and answers, repeats requests, delays them and has them overtake each other, by a seed. The other side is
 * what a service does: each request is worked on once.
 */
import { LicetError } from "../../src/errors.ts";
import { type Body, packMessage, unpackMessage } from "../../src/ledger/http/body.ts";
import type { Exchange } from "../../src/ledger/http/http-channel.ts";
import { createRepeats } from "../../src/ledger/http/repeats.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { answerMessage, type Method } from "../../src/ledger/messages/calls.ts";
import { type Clock, systemClock } from "../../src/time/clock.ts";

export interface LossyExchange {
  readonly exchange: Exchange;
  /** Requests that were sent, and those that the other side worked on. */
  readonly counts: { sent: number; worked: number; lost: number };
}

/** Of each of these, one in so many. 0: none. */
export interface Losses {
  readonly requests: number;
  readonly answers: number;
  readonly repeats: number;
}

export const LOSSY: Losses = { requests: 5, answers: 5, repeats: 4 };

export function createLossyExchange(ledger: Ledger, random: () => number, losses: Losses = LOSSY): LossyExchange {
  const repeats = createRepeats<Body>();
  const counts = { sent: 0, worked: 0, lost: 0 };
  const methodOf = (name: string): Method | null =>
    (ledger as unknown as Readonly<Record<string, Method>>)[name] ?? null;
  const strikes = (oneIn: number) => oneIn > 0 && random() * oneIn < 1;
  const delay = async () => {
    for (let turns = Math.floor(random() * 4); turns > 0; turns -= 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const lose = () => {
    counts.lost += 1;
    return new LicetError("SERVICE_UNREACHABLE", "lost on the way", { details: { url: "simulated" } });
  };
  const arrive: (...asked: Parameters<Exchange>) => Promise<Body> = async (request, body) => {
    await delay();
    return repeats.answer(request, async () => {
      counts.worked += 1;
      return packMessage(await answerMessage(await unpackMessage(body), { methodOf }));
    });
  };
  return {
    counts,
    exchange: async (request, body, signal) => {
      counts.sent += 1;
      if (strikes(losses.repeats)) {
        // Whoever comes late finds that the sender has its answer.
        void delay()
          .then(() => arrive(request, body, signal))
          .catch(() => {});
      }
      if (strikes(losses.requests)) {
        throw lose();
      }
      const answer = await arrive(request, body, signal);
      await delay();
      if (strikes(losses.answers)) {
        throw lose();
      }
      return answer;
    },
  };
}

/** Short waits take one turn. */
export const HASTY_CLOCK: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms < 10_000 ? 0 : ms, signal),
};
