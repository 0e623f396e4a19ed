import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FAULT_NAMES } from "../../../src/sandbox/faults/fault-names.ts";
import { type FaultSettings, parseFaultArgument } from "../../../src/sandbox/faults/faults.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import {
  askContentToken,
  CUSTOM_URL,
  call,
  FREE_URL,
  fetchContent,
  KEY,
  PAGE_URL,
  post,
  type RawAnswer,
  report,
  startGateway,
} from "./gateway-caller.ts";

let gateway: Sandbox;

beforeEach(async () => {
  gateway = await startGateway({ slowMs: 1 });
});
afterEach(() => gateway.close());

const RATE_PATH = `/dev/v2/rates/${encodeURIComponent(PAGE_URL)}`;
const catalog = (query: string) => call(gateway, "GET", `/dev/v2/content/news.example/catalog/list${query}`, KEY);

/** Fetches with a token got before the faults began. */
async function buyUnder(faults: FaultSettings): Promise<RawAnswer | "reset"> {
  const { token } = (await askContentToken(gateway)).json;
  gateway.setFaults(faults);
  return fetchContent(gateway, token).catch(() => "reset" as const);
}

describe("a fault before any effect leaves the token valid", () => {
  test.each([
    ["reset-before", "reset"],
    ["status-500", 500],
    ["status-502", 502],
    ["status-503", 503],
    ["status-429", 429],
  ])("%s", async (fault, seen) => {
    const { token } = (await askContentToken(gateway)).json;
    gateway.setFaults({ [`content:${fault}`]: 1 });
    const answer = await fetchContent(gateway, token).catch(() => "reset" as const);
    expect(answer === "reset" ? answer : answer.status).toBe(seen);
    expect(gateway.audit().charges).toEqual([]);
    gateway.setFaults({});
    expect((await fetchContent(gateway, token)).status).toBe(200);
    expect(gateway.audit()).toMatchObject({ faults: { [fault]: 1 }, totals: { USD: { chargeCount: 1 } } });
  });
});

describe("a fault after the charge leaves a charge in the account and a used token", () => {
  test.each([
    ["reset-after-charge", "reset"],
    ["reset-mid-body", "reset"],
    ["status-500-after-charge", 500],
    ["truncated-json", 200],
    ["empty-200", 200],
    ["wrong-shape", 200],
    ["error-200", 200],
  ])("%s", async (fault, seen) => {
    const { token } = (await askContentToken(gateway)).json;
    gateway.setFaults({ [fault]: 1 });
    const answer = await fetchContent(gateway, token).catch(() => "reset" as const);
    expect(answer === "reset" ? answer : answer.status).toBe(seen);
    gateway.setFaults({});
    expect((await fetchContent(gateway, token)).status).toBe(401);
    expect(gateway.audit()).toMatchObject({
      faults: { [fault]: 1 },
      totals: { USD: { chargedMicros: 2_000, chargeCount: 1 } },
    });
  });
});

test("a timeout never answers, and closing the sandbox ends it", async () => {
  gateway.setFaults({ timeout: 1 });
  const abort = new AbortController();
  const hanging = call(gateway, "GET", RATE_PATH, KEY, undefined, abort.signal);
  const other = call(gateway, "GET", RATE_PATH, KEY).catch(() => "cut");
  // The control endpoint is free of faults, so its answer shows that the other requests have arrived and hang.
  while (((await call(gateway, "GET", "/__sandbox/audit")).json.requests.rates?.timeout ?? 0) < 2) {}
  abort.abort();
  await expect(hanging).rejects.toThrow();
  await gateway.close();
  expect(await other).toBe("cut");
});

test("a slow answer is complete", async () => {
  gateway.setFaults({ slow: 1 });
  expect((await call(gateway, "GET", RATE_PATH, KEY)).json).toHaveLength(1);
  expect(gateway.audit().faults).toEqual({ slow: 1 });
});

test("Retry-After is in seconds, is 0 and is a date, in turn", async () => {
  gateway.setFaults({ "status-429": 1 });
  const seen: (string | string[] | undefined)[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    seen.push((await call(gateway, "GET", RATE_PATH, KEY)).headers["retry-after"]);
  }
  expect(seen).toEqual(["1", "0", expect.stringMatching(/GMT$/), "1"]);
});

test("a proxy's error is HTML", async () => {
  gateway.setFaults({ "rate:status-502": 1 });
  const answer = await call(gateway, "GET", RATE_PATH, KEY);
  expect(answer.headers["content-type"]).toContain("text/html");
  expect(answer.text).toContain("<h1>");
});

test("an overcharge is booked as it was charged", async () => {
  const answer = await buyUnder({ "over-charge": 1 });
  expect(answer).toMatchObject({ status: 200, json: { rate: { price: { priceMicros: 3_000 } } } });
  expect(gateway.audit().charges).toMatchObject([{ priceMicros: 3_000 }]);
});

describe("a token request", () => {
  test("gets a price that has risen since the quote", async () => {
    gateway.setFaults({ "price-rise": 1 });
    expect(await askContentToken(gateway)).toMatchObject({ status: 400, json: { code: "price-above-cap" } });
    expect((await call(gateway, "GET", RATE_PATH, KEY)).json[0].price.priceMicros).toBe(3_500);
  });

  test("fails", async () => {
    gateway.setFaults({ "token-500": 1 });
    expect((await askContentToken(gateway)).status).toBe(500);
  });

  test("gets a token that has expired", async () => {
    gateway.setFaults({ "token-expired": 1 });
    const { token } = (await askContentToken(gateway)).json;
    expect(await fetchContent(gateway, token)).toMatchObject({ status: 401, json: { code: "token-expired" } });
  });
});

describe("the catalog", () => {
  test("repeats entries of the page before", async () => {
    const { pageToken } = (await catalog("?pageSize=2")).json;
    gateway.setFaults({ "catalog-repeat": 1 });
    const second = await catalog(`?pageSize=2&pageToken=${pageToken}`);
    expect(second.json.pages[0].pageUrl).toBe(PAGE_URL);
  });

  test("repeats its pages without end", async () => {
    const { pageToken } = (await catalog("?pageSize=1")).json;
    gateway.setFaults({ "catalog-loop": 1 });
    expect((await catalog(`?pageSize=1&pageToken=${pageToken}`)).json.pageToken).toBe(pageToken);
  });
});

describe("bulk rates", () => {
  const urls = [PAGE_URL, CUSTOM_URL, FREE_URL];
  const bulk = async (fault: string) => {
    gateway.setFaults({ [fault]: 1 });
    return (await post(gateway, "/dev/v2/rates/batch", { urls })).json;
  };
  const urlsOf = (entries: { url: string }[]) => entries.map(({ url }) => url);

  test("come in another order, incomplete, doubled", async () => {
    expect(urlsOf(await bulk("bulk-shuffle"))).toEqual(urls.toReversed());
    expect(urlsOf(await bulk("bulk-missing"))).toEqual(urls.slice(0, 2));
    expect(urlsOf(await bulk("bulk-duplicate"))).toEqual([...urls, PAGE_URL]);
  });

  test("carry an error", async () => {
    expect((await bulk("bulk-error"))[2].rates[0].error).toEqual(expect.stringMatching(/./));
  });
});

describe("a self-report", () => {
  const BODY = JSON.stringify({
    idempotencyId: "r",
    usage: [PAGE_URL, FREE_URL].map((url) => ({ url, timesUsed: 2, licenseType: "ON_DEMAND_LICENSE" })),
  });

  test("whose answer is lost is recorded, and counted once when it is sent again", async () => {
    gateway.setFaults({ "report-lost-answer": 1 });
    await expect(report(gateway, BODY)).rejects.toThrow();
    gateway.setFaults({});
    expect((await report(gateway, BODY)).json).toHaveLength(2);
    expect(gateway.audit()).toMatchObject({ reports: 1, totals: { USD: { reportedMicros: 4_000, reportedUses: 4 } } });
  });

  test("is answered with a missing result, or with a wrong total", async () => {
    gateway.setFaults({ "receipt-short": 1 });
    expect((await report(gateway, BODY)).json).toHaveLength(1);
    gateway.setFaults({ "receipt-wrong-total": 1 });
    expect((await report(gateway, BODY)).json[0].totalUsePriceMicros).toBe(4_001);
    expect(gateway.audit().totals).toMatchObject({ USD: { reportedMicros: 4_000 } });
  });
});

test("a forbidden site refuses everything with 403, every time", async () => {
  gateway.setFaults({ "forbidden-site": 1 });
  const answers = [
    await call(gateway, "GET", RATE_PATH, KEY),
    await askContentToken(gateway),
    await catalog(""),
    await post(gateway, "/dev/v2/rates/batch", { urls: [PAGE_URL] }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
});

test("the same seed meets the same faults", async () => {
  const runs = await Promise.all(
    [7, 7, 8].map(async (seed) => {
      const one = await startGateway({ seed, faults: { "status-500": 0.5 } });
      const seen: number[] = [];
      for (let turn = 0; turn < 40; turn += 1) {
        seen.push((await call(one, "GET", RATE_PATH, KEY)).status);
      }
      await one.close();
      return seen.join();
    }),
  );
  expect(runs[0]).toBe(runs[1]);
  expect(runs[0]).not.toBe(runs[2]);
});

test("under all faults, the stored content of clients never exceeds the account", async () => {
  gateway.setFaults({ "content:reset-after-charge": 0.2, "content:truncated-json": 0.2, "content:reset-before": 0.2 });
  let bought = 0;
  for (let turn = 0; turn < 60; turn += 1) {
    const { token } = (await askContentToken(gateway)).json;
    const answer = await fetchContent(gateway, token).catch(() => undefined);
    if (answer?.json.rate !== undefined) {
      bought += answer.json.rate.price.priceMicros;
    }
  }
  const { charges, faults, totals, tokens } = gateway.audit();
  const lost = ((faults["reset-after-charge"] ?? 0) + (faults["truncated-json"] ?? 0)) * 2_000;
  expect(totals.USD?.chargedMicros).toBe(bought + lost);
  expect(charges).toHaveLength(tokens.spent);
  expect(tokens.spent).toBe(60 - (faults["reset-before"] ?? 0));
});

describe("a fault argument", () => {
  test.each([
    ["timeout=0.5", { name: "timeout", probability: 0.5 }],
    ["all=0.05", { name: "all", probability: 0.05 }],
    ["content:slow=1", { name: "content:slow", probability: 1 }],
    ["forbidden-site=.25", { name: "forbidden-site", probability: 0.25 }],
  ])("%s is accepted", (text, expected) => {
    expect(parseFaultArgument(text)).toEqual(expected);
  });

  test.each([
    "timeout",
    "=1",
    "timeout=",
    "timeout=2",
    "timeout=-1",
    "timeout=1e-3",
    "none=1",
    "content:none=1",
    "x:slow=1",
    "rate:over-charge=1",
  ])("%s is refused", (text) => {
    expect(() => parseFaultArgument(text)).toThrow(/^fault "/);
  });

  test("every fault has a line of description", () => {
    for (const line of Object.values(FAULT_NAMES)) {
      expect(line.length).toBeGreaterThan(10);
    }
  });
});
