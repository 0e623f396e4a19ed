/** A sender of requests over a wire that a test makes up. */
import { resolveClientOptions } from "../../../src/gateway/client-options.ts";
import type { WireAnswer, WireRequest } from "../../../src/gateway/exchange.ts";
import { RequestSender } from "../../../src/gateway/request-sender.ts";
import type { Wire } from "../../../src/gateway/transport.ts";
import type { FakeClock } from "../../doubles/fake-clock.ts";

export const REQUEST: WireRequest = { method: "GET", path: "/", headers: [], body: null };
export const ANSWERED: WireAnswer = { kind: "answered", status: 200, headers: [], body: Buffer.from("{}") };

/** What a wire has beside `send`. */
export const NO_WIRE = { received: async () => {}, close: async () => {} };

export function createSender(clock: FakeClock, wire: Wire, concurrency: number): RequestSender {
  const identity = { apiKey: "sandbox-key", agentId: "test-agent", userAgent: "test-agent/1.0" };
  const limits = { concurrency, requestsPerSecond: null };
  return new RequestSender(
    resolveClientOptions({ baseUrl: "http://127.0.0.1:1", ...identity, ...limits, clock, random: () => 1 }),
    wire,
  );
}
