import { expect, test } from "vitest";
import type { FetchOptions, FetchReport, FetchResult } from "../../../src/agent/fetch/fetch-report.ts";
import { createBuyingSession } from "../../../src/mcp/buying-session.ts";
import { toMicros } from "../../../src/money/micros.ts";

const NOT_HELD = { outcome: "not_stored" } as FetchResult;
const REPORT: FetchReport = {
  results: [NOT_HELD],
  spend: {},
  runIds: [],
  budgetExhausted: false,
  interrupted: false,
  warnings: [],
};

test("a call that failed has used up the cap of the session, because nobody knows what it has spent", async () => {
  const caps: unknown[] = [];
  const fetch = async (_urls: unknown, { storedOnly = false, maxSpend }: FetchOptions = {}) => {
    if (storedOnly) {
      return REPORT;
    }
    caps.push(maxSpend);
    throw new Error("the disk is full");
  };
  const maxSpend = { micros: toMicros(5_000), currency: "USD" };
  const session = createBuyingSession(
    (work) => work({ fetch }),
    { buys: true, maxSpend, maxPrice: null },
    new AbortController().signal,
  );
  const call = { maxPrice: null, readsOn: false, signal: new AbortController().signal };
  await expect(session.fetch(["https://news.example/a"], call)).rejects.toThrow("the disk is full");
  await expect(session.fetch(["https://news.example/a"], call)).rejects.toThrow("the disk is full");
  expect(caps).toEqual([maxSpend, { ...maxSpend, micros: 0 }]);
  expect(session.spent()).toMatchObject({ left: { micros: 0 } });
});
