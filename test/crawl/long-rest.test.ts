/** Tokens that live shorter than a rest that the gateway asks for with a 429: no page is given up for it, and none is charged twice. */
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import { compareAccounts } from "../doubles/compare-accounts.ts";
import { type CrawlWorld, createCrawlWorld, readPurchases } from "../doubles/crawl-world.ts";
import { findRedisProblem, type RedisServer, startRedisServer } from "../doubles/redis-server.ts";

const HOST = "news.example";
const PAGES = 80;
/** A busy machine is to use a token in this time, between the rests. */
const TOKEN_LIFE_MS = 5_000;
const REST_MS = TOKEN_LIFE_MS + 1_000;
const TOKEN_HEADER = "servicetoken";

/** For the n-th content request, from 1: how long it is told to rest. Null: it is served. */
type Rests = (content: number) => number | null;

interface Gateway {
  readonly rests: Rests;
  /** The gateway's tokens show no expiry. @default false */
  readonly isOpaque?: boolean;
}

interface Limiter {
  readonly url: string;
  readonly tokensIssued: () => number;
  close(): Promise<void>;
}

/** Before the gateway: answers content with 429 for as long as it says, and passes everything else on. */
async function startLimiter(target: string, { rests, isOpaque = false }: Gateway): Promise<Limiter> {
  let contents = 0;
  let tokens = 0;
  const forward = async (incoming: IncomingMessage, path: string): Promise<{ status: number; body: string }> => {
    const headers = { ...incoming.headers };
    const shown = headers[TOKEN_HEADER];
    if (isOpaque && typeof shown === "string") {
      headers[TOKEN_HEADER] = Buffer.from(shown, "hex").toString();
    }
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const onward = request(new URL(path, target), { method: incoming.method ?? "GET", headers }, resolve);
      onward.on("error", reject);
      incoming.pipe(onward);
    });
    const body = await text(answer);
    const token = path.endsWith("/tokens/content") ? (JSON.parse(body) as { token?: string }).token : undefined;
    tokens += token === undefined ? 0 : 1;
    const hidden =
      isOpaque && token !== undefined ? JSON.stringify({ token: Buffer.from(token).toString("hex") }) : body;
    return { status: answer.statusCode ?? 502, body: hidden };
  };
  const server: Server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? "/";
    const rest = incoming.headers[TOKEN_HEADER] === undefined ? null : rests(++contents);
    if (rest !== null) {
      outgoing.writeHead(429, { "retry-after": String(rest / 1_000) }).end();
      return;
    }
    forward(incoming, path).then(
      ({ status, body }) => outgoing.writeHead(status, { "content-type": "application/json" }).end(body),
      () => outgoing.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokensIssued: () => tokens,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface LimitedWorld extends Pick<CrawlWorld, "openAgent" | "sandbox" | "ledgerFile"> {
  readonly limiter: Limiter;
}

interface WorldOptions extends Gateway {
  readonly pages?: number;
  /** @default TOKEN_LIFE_MS */
  readonly tokenLifeMs?: number;
  readonly gateway?: { readonly concurrency?: number; readonly requestsPerSecond?: number };
  readonly queueUrl?: string;
}

const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(closers.map((close) => close()));
});

async function openWorld({
  pages = PAGES,
  tokenLifeMs = TOKEN_LIFE_MS,
  gateway,
  queueUrl,
  ...limits
}: WorldOptions): Promise<LimitedWorld> {
  const config = {
    budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
    sites: [{ host: HOST, policy: "standard" }],
  };
  const world = await createCrawlWorld({
    sandbox: {
      sites: [{ kind: "synthetic", host: HOST, pages, bodyBytes: 200 }],
      rates: { default: [{ license: "ON_DEMAND_LICENSE", price: "0.001 USD" }] },
      tokenLifeMs,
    },
    config,
    ...(queueUrl === undefined ? {} : { queueUrl }),
  });
  const limiter = await startLimiter(world.sandbox.url, limits);
  closers.push(world.close, limiter.close);
  await world.configure({ ...config, gateway: { baseUrl: limiter.url, concurrency: 8, ...gateway } });
  return { ...world, limiter };
}

/** The n-th content is told to rest, and so is each later one until the rest is over. */
function wholeRest(n: number, restMs: number): Rests {
  let until = 0;
  return (content) => {
    until = content === n ? Date.now() + restMs : until;
    return Date.now() < until ? until - Date.now() : null;
  };
}

/** Only the n-th content is told to rest. */
const oneOf =
  (numbers: readonly number[], restMs: number): Rests =>
  (content) =>
    numbers.includes(content) ? restMs : null;

async function expectAllBought({ openAgent, sandbox, ledgerFile }: LimitedWorld): Promise<void> {
  const agent = await openAgent();
  const { state, pages, failures, sites } = await agent.run();
  expect(failures).toEqual({});
  expect({ state, stop: sites[0]?.stop, ...pages }).toMatchObject({
    state: "completed",
    stop: null,
    approved: PAGES,
    bought: PAGES,
    failed: 0,
    inDoubt: 0,
  });
  expect(sandbox.audit().tokens.spent).toBe(PAGES);
  expect(compareAccounts(sandbox, ledgerFile)).toEqual([]);
  expect(await agent.audit()).toMatchObject({ ok: true });
}

const problem = findRedisProblem();
// They wait most of the time, so they wait together.
describe.concurrent("tokens that live shorter than a rest", () => {
  describe("all pages are bought, once each, after", () => {
    test.each<[string, WorldOptions]>([
      ["one 429", { rests: oneOf([20], REST_MS) }],
      ["one 429, although the tokens show no expiry", { rests: oneOf([20], REST_MS), isOpaque: true }],
      ["one 429 with one place", { rests: oneOf([20], REST_MS), gateway: { concurrency: 1 } }],
      [
        "one 429 with a limit of requests per second",
        { rests: oneOf([20], REST_MS), gateway: { requestsPerSecond: 50 } },
      ],
      ["429 for as long as the rest lasts", { rests: wholeRest(20, REST_MS) }],
      [
        "429 for as long as the rest lasts, with one place",
        { rests: wholeRest(20, REST_MS), gateway: { concurrency: 1 } },
      ],
      ["a rest before anything was bought", { rests: wholeRest(1, REST_MS) }],
      ["several rests, one after the other", { rests: oneOf([20, 40, 60, 80], REST_MS) }],
    ])("%s", async (_name, options) => {
      const world = await openWorld(options);
      await expectAllBought(world);
      const released = readPurchases(world.ledgerFile).filter(({ state }) => state === "released");
      expect(released.every(({ reason }) => reason === "token_unused")).toBe(true);
      expect(world.limiter.tokensIssued()).toBe(PAGES + released.length);
    });
  });

  describe.skipIf(problem !== null)(`over Redis${problem === null ? "" : ` (skipped: ${problem})`}`, () => {
    let server: RedisServer | null = null;
    afterAll(async () => {
      await server?.stop();
    });

    test("all pages are bought, once each, after one 429", async () => {
      server = await startRedisServer();
      await expectAllBought(await openWorld({ rests: oneOf([20], REST_MS), queueUrl: server.url }));
    });
  });

  test("a gateway that asks for such rests for ever ends the run, with its pages given up", async () => {
    const tokenLifeMs = 1_500;
    const world = await openWorld({ rests: () => tokenLifeMs + 100, tokenLifeMs, pages: 12 });
    const agent = await world.openAgent();
    const { state, pages, failures, refused } = await agent.run();
    expect({ state, failures, ...pages }).toMatchObject({
      state: "completed",
      failures: { rate_limited: 12 },
      bought: 0,
      failed: 12,
      inDoubt: 0,
    });
    expect(refused[0]?.detail).toContain("kept answering 429");
    // The first four pages, until the first of them has lost 8 tokens; each other page loses one.
    expect(world.limiter.tokensIssued()).toBeLessThanOrEqual(4 * 8 + 8);
    expect(world.sandbox.audit().tokens.spent).toBe(0);
    expect(await agent.audit()).toMatchObject({ ok: true });
  });
});
