/** Which request for rates is the early one, and when it ends. */
import { expect, test } from "vitest";
import { askEarly } from "../../../src/agent/fetch/early-rates.ts";
import type { Gateway } from "../../../src/gateway/gateway.ts";

const PAGE = { wireUrl: "https://news.example/a", site: { policy: { intent: "content" } } } as Parameters<
  typeof askEarly
>[1][number];

/** A gateway that writes down what it is asked, and answers nothing until it is told to end. */
function createSilentGateway() {
  const asked: { readonly urls: readonly string[]; readonly signal: AbortSignal | undefined }[] = [];
  const gateway = {
    quoteBatch: (urls: readonly string[], signal?: AbortSignal) => {
      asked.push({ urls, signal });
      return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    },
  } as unknown as Gateway;
  return { gateway, asked };
}

const isEnded = ({ asked }: ReturnType<typeof createSilentGateway>) => asked[0]?.signal?.aborted;

test("ends when the stage that waits for it may not go on", async () => {
  const silent = createSilentGateway();
  const { gateway } = askEarly(silent.gateway, [PAGE], new AbortController().signal);
  const stage = new AbortController();
  const waiting = gateway.quoteBatch([PAGE.wireUrl], stage.signal);
  expect(isEnded(silent)).toBe(false);
  stage.abort();
  expect(isEnded(silent)).toBe(true);
  await expect(waiting).rejects.toThrow();
});

test("ends at once for a stage that may not go on when it asks", async () => {
  const silent = createSilentGateway();
  const { gateway } = askEarly(silent.gateway, [PAGE], new AbortController().signal);
  await expect(gateway.quoteBatch([PAGE.wireUrl], AbortSignal.abort())).rejects.toThrow();
});

test("ends with the call, and with the run that nobody began", () => {
  const [called, stopped] = [createSilentGateway(), createSilentGateway()];
  const call = new AbortController();
  askEarly(called.gateway, [PAGE], call.signal);
  call.abort();
  expect(isEnded(called)).toBe(true);
  askEarly(stopped.gateway, [PAGE], new AbortController().signal).stop();
  expect(isEnded(stopped)).toBe(true);
});

test("is taken once, and only for the page that was asked for as it was asked for", () => {
  const silent = createSilentGateway();
  const { gateway, stop } = askEarly(silent.gateway, [PAGE], new AbortController().signal);
  for (const urls of [["https://news.example/A"], [PAGE.wireUrl, PAGE.wireUrl], [PAGE.wireUrl], [PAGE.wireUrl]]) {
    gateway.quoteBatch(urls).catch(() => {});
  }
  expect(silent.asked.map(({ urls }) => urls.length)).toEqual([1, 1, 2, 1]);
  expect(silent.asked[1]?.urls).toEqual(["https://news.example/A"]);
  stop();
});
