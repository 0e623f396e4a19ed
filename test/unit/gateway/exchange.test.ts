/** What no server on a socket can cause on demand: the order of undici's own callbacks. */
import type { Dispatcher } from "undici";
import { expect, test, vi } from "vitest";
import { Exchange, findHeader, type WireAnswer } from "../../../src/gateway/exchange.ts";

const IDLE_TICKS = 3;
const TOTAL_TICKS = 10;

function createExchange() {
  const ends: WireAnswer[] = [];
  const forgotten: Exchange[] = [];
  let tick = 0;
  const limits = { maxBytes: 100, unsentMs: 60_000, idleTicks: IDLE_TICKS, totalTicks: TOTAL_TICKS };
  const exchange = new Exchange(
    limits,
    () => tick,
    (ended) => forgotten.push(ended),
    (answer) => ends.push(answer),
  );
  const pass = (ticks: number) => {
    for (let passed = 0; passed < ticks; passed += 1) {
      tick += 1;
      exchange.checkDeadlines();
    }
  };
  return { exchange, ends, forgotten, pass };
}

/** What undici hands to a handler, as far as an exchange looks at it. */
function createController(abort = vi.fn()): Dispatcher.DispatchController {
  return { aborted: false, paused: false, reason: null, rawHeaders: [], abort, pause: vi.fn(), resume: vi.fn() };
}

test("a second writing of the same request is stopped before it happens", () => {
  const { exchange, ends } = createExchange();
  exchange.onRequestStart(createController());
  const abort = vi.fn();
  exchange.onRequestStart(createController(abort));
  expect(abort).toHaveBeenCalledOnce();
  expect(ends).toEqual([{ kind: "failed", reason: "reset", sent: true, detail: "the connection was lost" }]);
});

test("a request that ended while it waited for its connection is stopped when the connection comes, and was never sent", () => {
  const { exchange, ends } = createExchange();
  exchange.stop("aborted", "stop");
  const abort = vi.fn();
  exchange.onRequestStart(createController(abort));
  expect(abort).toHaveBeenCalledOnce();
  expect(ends).toEqual([{ kind: "failed", reason: "aborted", sent: false, detail: "stop" }]);
});

test("the first end is the only one", () => {
  const { exchange, ends, forgotten } = createExchange();
  exchange.onRequestStart(createController());
  exchange.onResponseStart(createController(), 200);
  exchange.onResponseData(createController(), Buffer.from("{}"));
  exchange.onResponseEnd();
  exchange.onResponseError(createController(), new Error("late"));
  exchange.stop("timeout", "later");
  exchange.onResponseEnd();
  expect(ends).toMatchObject([{ kind: "answered", status: 200 }]);
  expect(forgotten).toEqual([exchange]);
});

test("the wait for a connection is not a wait for an answer, but it counts in the total", () => {
  const { ends, pass } = createExchange();
  pass(TOTAL_TICKS);
  expect(ends).toEqual([]);
  pass(1);
  expect(ends).toMatchObject([{ reason: "timeout", sent: false }]);
});

test("each received part starts the idle time again, up to the limit of the total", () => {
  const { exchange, ends, pass } = createExchange();
  exchange.onRequestStart(createController());
  pass(IDLE_TICKS);
  exchange.onResponseStart(createController(), 200);
  pass(IDLE_TICKS);
  exchange.onResponseData(createController(), Buffer.from("x"));
  pass(IDLE_TICKS);
  expect(ends).toEqual([]);
  pass(1);
  expect(ends).toMatchObject([{ reason: "timeout", sent: true, detail: "the answer stopped in the middle" }]);
});

test("a header is found whatever its case, the first of several, and not in another's value", () => {
  const headers = ["X-One", "retry-after", "Retry-After", "1", "retry-after", "2"].map((text) => Buffer.from(text));
  expect(findHeader(headers, "retry-after")).toBe("1");
  expect(findHeader(headers, "x-two")).toBeNull();
});
