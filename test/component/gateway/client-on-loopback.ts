/** A client and its server; both are closed after the test. */
import { onTestFinished } from "vitest";
import type { GatewayClientOptions } from "../../../src/gateway/client-options.ts";
import type { ContentTokenRequest } from "../../../src/gateway/gateway.ts";
import { GatewayClient } from "../../../src/gateway/gateway-client.ts";
import { toMicros } from "../../../src/money/micros.ts";
import type { Clock } from "../../../src/time/clock.ts";
import { type LoopbackServer, type Respond, startLoopbackServer } from "../../doubles/loopback-server.ts";

export const API_KEY = "secret-api-key-0123456789";
export const TOKEN = "head.one-time-token.tail";
export const PAGE = "https://news.example/a/page";

export const TOKEN_REQUEST: ContentTokenRequest = {
  url: PAGE,
  maxPrice: { micros: toMicros(1500), currency: "USD" },
  licenseType: "ON_DEMAND_LICENSE",
  licenseCuid: null,
  format: "markdown",
};

export async function openClient(
  respond: Respond,
  options: Partial<GatewayClientOptions> = {},
): Promise<{ client: GatewayClient; server: LoopbackServer }> {
  const server = await startLoopbackServer(respond);
  const client = createClient(server.baseUrl, options);
  onTestFinished(() => server.close());
  return { client, server };
}

/** Closed after the test, before its server. */
export function createClient(baseUrl: string, options: Partial<GatewayClientOptions> = {}): GatewayClient {
  const client = new GatewayClient({
    baseUrl,
    apiKey: API_KEY,
    agentId: "test-agent",
    userAgent: "test-agent/1.0",
    requestsPerSecond: null,
    random: () => 1,
    clock: createLeapingClock(),
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

export interface LeapingClock extends Clock {
  /** Every wait there was, in ms. */
  readonly sleeps: number[];
}

/** A clock that waits no time at all: a sleep moves it forward and is over. */
export function createLeapingClock(startAt = Date.UTC(2026, 0, 1)): LeapingClock {
  let now = startAt;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => now,
    async sleep(ms) {
      sleeps.push(ms);
      now += ms;
    },
  };
}
