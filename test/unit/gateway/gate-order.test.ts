import pLimit from "p-limit";
import { describe, expect, test } from "vitest";
import {
  CONTENTS_IN_A_ROW,
  EXPIRED,
  LIMITED_CONTENT_GRACE_MS,
  type RequestClass,
  RequestGate,
} from "../../../src/gateway/request-gate.ts";
import { createFakeClock, type FakeClock } from "../../doubles/fake-clock.ts";

function createGate(options: { concurrency: number; requestsPerSecond?: number }) {
  const clock = createFakeClock();
  const { concurrency, requestsPerSecond = null } = options;
  return { clock, gate: new RequestGate({ concurrency, requestsPerSecond, clock, random: () => 1 }) };
}

/** Notes in which order those that wait are let in, each leaving at once. */
function createQueueOf(gate: RequestGate) {
  const order: string[] = [];
  const wait = async (name: string, requestClass: RequestClass) => {
    await gate.enter(undefined, { requestClass });
    order.push(name);
    gate.leave();
  };
  return { order, wait };
}

describe("the order at the gate", () => {
  test("contents go before tokens and all else that came earlier, which keep their own order", async () => {
    const { gate } = createGate({ concurrency: 1 });
    gate.enter();
    const { order, wait } = createQueueOf(gate);
    const all = [
      wait("token 1", "token"),
      wait("rates", "other"),
      wait("token 2", "token"),
      wait("content 1", "content"),
      wait("content 2", "content"),
    ];
    gate.leave();
    await Promise.all(all);
    expect(order).toEqual(["content 1", "content 2", "token 1", "rates", "token 2"]);
  });

  test("an endless row of contents lets another request in now and then", async () => {
    const { gate } = createGate({ concurrency: 1 });
    gate.enter();
    const { order, wait } = createQueueOf(gate);
    const contents = Array.from({ length: 3 * CONTENTS_IN_A_ROW }, (_, index) => wait(`content ${index}`, "content"));
    const others = [wait("rates", "other"), wait("token", "token")];
    gate.leave();
    await Promise.all([...contents, ...others]);
    expect(order.indexOf("rates")).toBe(CONTENTS_IN_A_ROW);
    expect(order.indexOf("token")).toBe(2 * CONTENTS_IN_A_ROW + 1);
  });
});

interface Crawl {
  readonly pages: number;
  readonly slots: number;
  readonly tokenMs: number;
  readonly commitMs: number;
  readonly contentMs: number;
}

/** Buys pages through the gate as the pipeline does. @returns how old each token was, and how many waited to be used at most */
async function buy(gate: RequestGate, clock: FakeClock, crawl: Crawl) {
  const slots = pLimit(crawl.slots);
  const ages: number[] = [];
  let unused = 0;
  let mostUnused = 0;
  const request = async (requestClass: RequestClass, ms: number, onEntered: () => void) => {
    await gate.enter(undefined, { requestClass });
    onEntered();
    await clock.sleep(ms);
    gate.leave();
  };
  const page = async () => {
    await request("token", crawl.tokenMs, () => {
      mostUnused = Math.max(mostUnused, ++unused);
    });
    const issuedAt = clock.now();
    await clock.sleep(crawl.commitMs);
    await request("content", crawl.contentMs, () => {
      unused -= 1;
      ages.push(clock.now() - issuedAt);
    });
  };
  await clock.drive(Promise.all(Array.from({ length: crawl.pages }, () => slots(page))), () => true);
  return { oldestMs: Math.max(...ages), mostUnused };
}

describe("the age of tokens", () => {
  test("stays far below a life of 3 s when 256 pages share 50 requests a second", async () => {
    const { gate, clock } = createGate({ concurrency: 64, requestsPerSecond: 50 });
    const crawl = { pages: 600, slots: 256, tokenMs: 20, commitMs: 5, contentMs: 40 };
    const { oldestMs, mostUnused } = await buy(gate, clock, crawl);
    expect(oldestMs).toBeLessThan(300);
    expect(mostUnused).toBeLessThan(10);
  });

  test("no token is requested while contents wait: at most those in flight are unused, and as many again", async () => {
    const { gate, clock } = createGate({ concurrency: 8 });
    const crawl = { pages: 200, slots: 32, tokenMs: 10, commitMs: 0, contentMs: 500 };
    expect((await buy(gate, clock, crawl)).mostUnused).toBeLessThanOrEqual(2 * 8);
  });
});

describe("contents that a 429 refused", () => {
  /** One content got a 429 with a pause of a second; a token and the rates wait. */
  async function turnedAway(tokenLifeMs: number | null = null) {
    const { gate, clock } = createGate({ concurrency: 1 });
    const expiresAt = tokenLifeMs === null ? null : clock.now() + tokenLifeMs;
    const content = { requestClass: "content", expiresAt } as const;
    const pass = gate.enter(undefined, content) as number;
    gate.rateLimited(pass, 1_000, content);
    gate.leave();
    const { order, wait } = createQueueOf(gate);
    const token = wait("token", "token");
    const rates = wait("rates", "other");
    clock.advance(1_000);
    await rates;
    return { clock, gate, order, wait, token };
  }

  test("no token is requested before they came back; everything else continues", async () => {
    const { order, wait, token } = await turnedAway();
    expect(order).toEqual(["rates"]);
    await wait("content", "content");
    await token;
    expect(order).toEqual(["rates", "content", "token"]);
  });

  test("one whose token expires in the pause is not waited for", async () => {
    const { order } = await turnedAway(1_000);
    expect(order).toEqual(["token", "rates"]);
  });

  test("one whose token expires after the pause is waited for until then", async () => {
    const { clock, order, token } = await turnedAway(1_500);
    expect(order).toEqual(["rates"]);
    clock.advance(500);
    await token;
    expect(order).toEqual(["rates", "token"]);
  });

  test("one that never comes back is not waited for without end", async () => {
    const { clock, order, token } = await turnedAway();
    clock.advance(LIMITED_CONTENT_GRACE_MS);
    await token;
    expect(order).toEqual(["rates", "token"]);
  });

  test("a clock that was set back delays the tokens no longer than a pause", async () => {
    const { clock, token } = await turnedAway();
    clock.turnBack(86_400_000);
    await clock.drive(token, () => true);
    expect(clock.sleeping).toBe(0);
  });
});

describe("content whose token expires while it waits", () => {
  /** One content got a 429 with a pause of a second; another one waits, with a token of this life. */
  function waitFor(tokenLifeMs: number, options: Parameters<typeof createGate>[0]) {
    const { gate, clock } = createGate(options);
    gate.rateLimited(gate.enter() as number, 1_000);
    gate.leave();
    const pass = gate.enter(undefined, { requestClass: "content", expiresAt: clock.now() + tokenLifeMs });
    return { gate, clock, pass };
  }

  test("is not admitted, and takes neither a place nor a permit", async () => {
    const { gate, clock, pass } = waitFor(1_000, { concurrency: 1, requestsPerSecond: 1 });
    const next = gate.enter();
    clock.advance(1_000);
    expect(await pass).toBe(EXPIRED);
    expect(await next).toBeGreaterThanOrEqual(0);
  });

  test("is admitted while its token lives", async () => {
    const { clock, pass } = waitFor(1_001, { concurrency: 1 });
    clock.advance(1_000);
    expect(await pass).toBeGreaterThanOrEqual(0);
  });

  test("is admitted at once when nothing is in its way: the gateway knows best when it expires", () => {
    const { gate, clock } = createGate({ concurrency: 1 });
    expect(gate.enter(undefined, { requestClass: "content", expiresAt: clock.now() - 1 })).toBe(0);
  });
});
