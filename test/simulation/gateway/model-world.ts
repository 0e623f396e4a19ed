/** A model gateway with licet's real client before it, as the simulation has them, but with nothing between. */
import { GatewayClient } from "../../../src/gateway/gateway-client.ts";
import { toMicros } from "../../../src/money/micros.ts";
import type { ScenarioPage, ScenarioRate, ScenarioSite } from "../scenario.ts";
import { type ArrivedRequest, createModelGateway, type ModelGatewayOptions } from "./model-gateway.ts";
import { toWireAnswer } from "./model-wire.ts";
import { HONEST } from "./traits.ts";

export const START_AT = Date.UTC(2026, 0, 10);
export const API_KEY = "the-key-that-nobody-else-has";
export const USER_AGENT = "agent-7/1.0";

const SNIPPET: ScenarioRate = {
  licenseType: "ON_DEMAND_LICENSE",
  cuid: "lic-0",
  permissions: ["PARTIAL_USE"],
  micros: 2_000,
  currency: "USD",
};
const CUSTOM: ScenarioRate = { ...SNIPPET, licenseType: "CUSTOM_LICENSE", cuid: "lic-c", micros: 7_000 };

export function pageOf(number: number, lastMod: string | null = `2026-01-0${number}T00:00:00Z`): ScenarioPage {
  return { url: `https://one.example/${number}?a=b&c=(d)`, lastMod, rates: [SNIPPET, CUSTOM] };
}

export function urlOf(number: number): string {
  return pageOf(number).url;
}

const SITE = { host: "one.example", pages: [1, 2, 3, 4, 5].map((number) => pageOf(number)) } as const;

export function openModelWorld(overrides: Partial<ModelGatewayOptions> = {}) {
  const gateway = createModelGateway({
    sites: [SITE as unknown as ScenarioSite],
    apiKey: API_KEY,
    agentId: "agent-7",
    service: "Service",
    traits: { ...HONEST, tokenLifeMs: 60_000 },
    maxPageSize: 3,
    maxBatchUrls: 4,
    reportShape: "array",
    omitsRate: false,
    random: () => 0.9,
    startAt: START_AT,
    ...overrides,
  });
  const time = { now: START_AT };
  const requests: ArrivedRequest[] = [];
  const client = new GatewayClient(
    {
      baseUrl: "http://gateway.example",
      service: overrides.service,
      apiKey: API_KEY,
      agentId: "agent-7",
      userAgent: USER_AGENT,
      requestsPerSecond: null,
      retries: 0,
      clock: { now: () => time.now, sleep: async () => {} },
    },
    {
      send: async (request) => {
        requests.push(request);
        return toWireAnswer(gateway.handle(request, time.now));
      },
      received: async () => {},
      close: async () => {},
    },
  );
  return {
    gateway,
    account: gateway.account,
    client,
    time,
    /** As they arrived. */
    requests,
    listUrls: async (pageToken: string | null, pageSize = 2) => {
      const page = await client.listCatalog({ host: "one.example", pageToken, pageSize });
      return { urls: page.entries.map(({ pageUrl }) => pageUrl), next: page.nextPageToken };
    },
    /** A token for the cheap license at its first price, unless the options say otherwise. */
    buyToken: async (url: string, micros = 2_000, terms = {}) => {
      const maxPrice = { micros: toMicros(micros), currency: "USD" };
      const request = { url, maxPrice, licenseType: "ON_DEMAND_LICENSE", licenseCuid: "lic-0", format: "markdown" };
      return (await client.issueContentToken({ ...request, ...terms } as never)).token;
    },
    fetch: (url: string, token: string) => client.fetchContent({ url, token, format: "markdown" }),
    report: (idempotencyId: string, usage: readonly object[]) =>
      client.reportUsage(Buffer.from(JSON.stringify({ idempotencyId, usage }))),
  };
}

export function useOf(url: string, timesUsed = 1) {
  return { url, timesUsed, licenseType: "ON_DEMAND_LICENSE", licenseCuid: "lic-0" };
}
