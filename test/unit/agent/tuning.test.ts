import { expect, test } from "vitest";
import { TUNING, tuneFor, tuneToPlaces } from "../../../src/agent/tuning.ts";
import { FIRST_PAGES } from "../../../src/pipeline/acquire/slow-start.ts";

test.each([1, 8, 16, 24])("a process with %i connections to the gateway has the jobs of a few sites", (places) => {
  expect(tuneToPlaces(TUNING, places)).toEqual(TUNING);
});

test.each([32, 64, 256])("the first pages of many sites keep %i connections to the gateway busy", (places) => {
  const { workerConcurrency, dispatch } = tuneToPlaces(TUNING, places);
  expect(workerConcurrency.acquire * FIRST_PAGES).toBeGreaterThanOrEqual(places);
  const { walk, quote, acquire, report } = workerConcurrency;
  for (const [stage, atOnce] of Object.entries({ walk, quote, acquire })) {
    expect(dispatch.maxOutstanding[stage as keyof typeof dispatch.maxOutstanding]).toBeGreaterThan(atOnce);
  }
  expect(report).toBe(1);
});

test("more connections change nothing of what is done for one site", () => {
  const { dispatch } = tuneToPlaces(TUNING, 256);
  const { quotesPerSite, waitingBatches, idleMs } = TUNING.dispatch;
  expect(dispatch).toMatchObject({ quotesPerSite, waitingBatches, idleMs });
});

test("with each process that shares the connections, as much more is done for one site", () => {
  const { dispatch } = tuneToPlaces(TUNING, 16, 3);
  expect(dispatch).toEqual(tuneFor(TUNING, 3).dispatch);
});

test("few processes with many connections are given the jobs of the connections", () => {
  const { maxOutstanding, quotesPerSite } = tuneToPlaces(TUNING, 128, 2).dispatch;
  expect(maxOutstanding).toEqual(tuneToPlaces(TUNING, 128).dispatch.maxOutstanding);
  expect(quotesPerSite).toBe(2 * TUNING.dispatch.quotesPerSite);
});
