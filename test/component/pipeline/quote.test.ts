import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { ErrorCode } from "../../../src/errors.ts";
import type { Gateway } from "../../../src/gateway/gateway.ts";
import type { DecideRequest, Elsewhere } from "../../../src/ledger/frontier-ledger.ts";
import { createBuyingClock } from "../../../src/pipeline/decide/buying-clock.ts";
import { quote, quotePages } from "../../../src/pipeline/quote/quote.ts";
import type { RateAnswer } from "../../../src/pipeline/quote/rate-answer.ts";
import { createSiteHealth } from "../../../src/pipeline/site-health.ts";
import type { SiteSettings } from "../../../src/pipeline/stage-deps.ts";
import { walk } from "../../../src/pipeline/walk/walk.ts";
import {
  catalogPage,
  createScriptedGateway,
  type GatewayScript,
  gatewayError,
  listAll,
  listing,
} from "../../doubles/scripted-gateway.ts";
import { createStageWorld, HOST, NEVER, pageUrl, type StageWorld, type WorldOptions } from "./stage-world.ts";

let world: StageWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const PATHS = ["/a", "/b", "/c", "/d", "/e"];
const URLS = PATHS.map((path) => pageUrl(path));

/** A bulk endpoint that refuses any batch with one of these URLs in it. */
const refusing =
  (bad: ReadonlySet<string>, code: ErrorCode): NonNullable<GatewayScript["quoteBatch"]> =>
  (urls) => {
    if (urls.some((url) => bad.has(url))) {
      throw gatewayError(code);
    }
    return listAll(urls);
  };

const pagesOf = (urls: readonly string[]) =>
  urls.map((url, index) => ({ pageId: index + 1, url, wireUrl: url, lastModAt: null, listed: null }));

const NOWHERE: Elsewhere = { otherPart: null, stored: null, walkEnded: true };

function quotesOf(gateway: Gateway, urls: readonly string[], elsewhere = NOWHERE): Promise<RateAnswer[]> {
  const request = { host: HOST, pages: pagesOf(urls), findElsewhere: async () => elsewhere };
  return quotePages({ gateway, siteHealth: createSiteHealth() }, request, NEVER);
}

const kinds = (answers: readonly RateAnswer[]) => answers.map(({ kind }) => kind);

describe("bulk rate requests", () => {
  it("refuse exactly the bad URLs and list every other, whichever they are", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 33 }),
        fc.constantFrom<ErrorCode>("GATEWAY_REFUSED", "GATEWAY_NOT_FOUND", "GATEWAY_ANSWER_TOO_LARGE"),
        async (isBad, code) => {
          const urls = isBad.map((_, index) => pageUrl(`/${index}`));
          const bad = new Set(urls.filter((_, index) => isBad[index]));
          const gateway = createScriptedGateway(() => 0, { quoteBatch: refusing(bad, code) });
          const answers = await quotesOf(gateway, urls);
          expect(kinds(answers)).toEqual(isBad.map((is) => (is ? "refused" : "listed")));
          expect(gateway.requests("quoteBatch").length).toBeLessThan(2 * urls.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("refuse exactly the forbidden URLs as long as some page is not forbidden", async () => {
    const bad = new Set([URLS[0], URLS[3]] as string[]);
    const gateway = createScriptedGateway(() => 0, {
      quoteBatch: refusing(bad, "GATEWAY_FORBIDDEN"),
      quotePage: (url) => {
        if (bad.has(url)) {
          throw gatewayError("GATEWAY_FORBIDDEN");
        }
        return listing();
      },
    });
    expect(kinds(await quotesOf(gateway, URLS))).toEqual(["refused", "listed", "listed", "refused", "listed"]);
  });

  it("treat an unknown, not forbidden page as a sign that the site is enabled", async () => {
    const bad = new Set([URLS[0]] as string[]);
    const gateway = createScriptedGateway(() => 0, {
      quoteBatch: refusing(bad, "GATEWAY_FORBIDDEN"),
      quotePage: () => {
        throw gatewayError("GATEWAY_NOT_FOUND");
      },
    });
    expect(kinds(await quotesOf(gateway, URLS))).toEqual(["refused", ...Array(4).fill("listed")]);
  });

  it("test a few pages alone, no more, before they say that the site is forbidden", async () => {
    const forbid = () => {
      throw gatewayError("GATEWAY_FORBIDDEN");
    };
    const gateway = createScriptedGateway(() => 0, { quoteBatch: forbid, quotePage: forbid });
    const urls = Array.from({ length: 40 }, (_, index) => pageUrl(`/${index}`));
    await expect(quotesOf(gateway, urls)).rejects.toMatchObject({ code: "GATEWAY_FORBIDDEN" });
    expect(gateway.calls.length).toBeLessThanOrEqual(6);
  });

  it("name the pages that the answer left out", async () => {
    const gateway = createScriptedGateway(() => 0, { quoteBatch: (urls) => listAll(urls.slice(1)) });
    expect(kinds(await quotesOf(gateway, URLS))).toEqual(["missing", ...Array(4).fill("listed")]);
  });

  it("send nothing for no pages", async () => {
    const gateway = createScriptedGateway(() => 0);
    expect(await quotesOf(gateway, [])).toEqual([]);
    expect(gateway.calls).toHaveLength(0);
  });
});

async function walked(script: GatewayScript, options: WorldOptions = {}): Promise<StageWorld> {
  world = await createStageWorld({ ...options, script: { listCatalog: () => catalogPage(URLS), ...script } });
  await walk(world.deps, await world.lease("walk"), NEVER);
  return world;
}

async function denialsOf({ ledger, runId }: StageWorld) {
  return (await ledger.readRun(runId)).denials;
}

async function stopOf({ ledger, runId }: StageWorld) {
  return (await ledger.readRun(runId)).sites[0]?.stop;
}

describe("the quote stage", () => {
  it("decides the listed pages and denies the others with their reasons", async () => {
    const { deps, ledger, runId, lease } = await walked({
      quoteBatch: (urls) => {
        if (urls.includes(URLS[1] as string)) {
          throw gatewayError("GATEWAY_REFUSED");
        }
        return listAll(urls.filter((url) => url !== URLS[4]));
      },
    });
    await quote(deps, await lease("quote"), NEVER);
    const { pages, denials } = await ledger.readRun(runId);
    expect(pages).toMatchObject({ approved: 3, denied: 2, quoted: 3 });
    expect(denials).toEqual({ quote_refused: 1, not_quoted: 1 });
  });

  it("reserves nothing with a clock of an earlier period, and decides the same pages when the clock is right", async () => {
    const { deps, ledger, runId, clock, lease } = await walked({ quoteBatch: (urls) => listAll(urls) });
    const leaseId = await lease("quote");
    const later = { ...deps, buyingClock: createBuyingClock([{ period: "day" }], clock.now() + 86_400_000) };
    await expect(quote(later, leaseId, NEVER)).rejects.toMatchObject({ code: "CLOCK_BEHIND", stops: "run" });
    expect((await ledger.readRun(runId)).pages).toMatchObject({ approved: 0, denied: 0 });
    await quote(deps, leaseId, NEVER);
    expect((await ledger.readRun(runId)).pages).toMatchObject({ approved: URLS.length });
  });

  it.each([
    [true, "relicense", 1],
    [false, "keep", null],
  ])("decides by age and by the end of rights where the clock is sure: %s", async (isSure, onExpiry, maxAgeMs) => {
    const { deps, ledger, lease } = await walked({ quoteBatch: (urls) => listAll(urls) });
    const asked: DecideRequest[] = [];
    const site = deps.sites.get(HOST) as SiteSettings;
    await quote(
      {
        ...deps,
        ledger: { ...ledger, decide: (request) => ledger.decide(asked[asked.push(request) - 1] as DecideRequest) },
        sites: new Map([[HOST, { ...site, refresh: { when: "modified", maxAgeMs: 1 } }]]),
        expiry: { standard: { retentionMs: 1, onExpiry: "relicense", isAsked: false, hosts: { [HOST]: true } } },
        buyingClock: createBuyingClock([], null, () => isSure),
      },
      await lease("quote"),
      NEVER,
    );
    expect(asked).toMatchObject([{ expiry: { standard: { onExpiry } }, refresh: { maxAgeMs } }]);
  });

  it("stops a site that is not enabled, once, and says what to do", async () => {
    const forbid = () => {
      throw gatewayError("GATEWAY_FORBIDDEN");
    };
    const crawl = await walked({ quoteBatch: forbid, quotePage: forbid }, { limits: { quoteBatchSize: 3 } });
    const leases = [await crawl.lease("quote"), await crawl.lease("quote")];
    for (const leaseId of leases) {
      await quote(crawl.deps, leaseId, NEVER);
    }
    expect(await stopOf(crawl)).toBe("not_enabled");
    const stops = crawl.said.filter(({ event }) => event === "siteStopped");
    expect(stops).toHaveLength(1);
    expect(stops[0]?.text).toContain("enable your account");
  });

  it("requeues the batch after a temporary failure, and stops the site after the last attempt", async () => {
    const crawl = await walked({
      quoteBatch: () => {
        throw gatewayError("GATEWAY_FAILED");
      },
    });
    const { deps, clock, ledger, runId } = crawl;
    for (let attempt = 1; attempt < deps.limits.batchAttempts; attempt++) {
      await quote(deps, await crawl.lease("quote"), NEVER);
      expect(await stopOf(crawl)).toBeNull();
      const { nextReadyAt } = await ledger.readProgress({ runId, now: clock.now() });
      clock.advance((nextReadyAt as number) - clock.now());
    }
    await quote(deps, await crawl.lease("quote"), NEVER);
    expect(await stopOf(crawl)).toBe("failed");
    expect(crawl.gateway.requests("quoteBatch")).toHaveLength(deps.limits.batchAttempts);
    expect(clock.sleeping).toBe(0);
  });

  it.each<ErrorCode>(["GATEWAY_UNAUTHORIZED", "GATEWAY_REDIRECTED"])(
    "throws %s: the run cannot go on",
    async (code) => {
      const crawl = await walked({
        quoteBatch: () => {
          throw gatewayError(code);
        },
      });
      await expect(quote(crawl.deps, await crawl.lease("quote"), NEVER)).rejects.toMatchObject({ code });
      expect(await stopOf(crawl)).toBeNull();
    },
  );

  it("requeues the batch unchanged when it is stopped", async () => {
    const crawl = await walked({});
    await quote(crawl.deps, await crawl.lease("quote"), AbortSignal.abort());
    expect(crawl.gateway.requests("quoteBatch")).toHaveLength(0);
    await quote(crawl.deps, await crawl.lease("quote"), NEVER);
    expect((await crawl.ledger.readRun(crawl.runId)).pages.approved).toBe(5);
  });

  it("sends nothing under a lease that another worker has by now", async () => {
    const crawl = await walked({});
    const stale = await crawl.lease("quote");
    crawl.clock.advance(crawl.deps.limits.leaseMs);
    await crawl.lease("quote");
    await quote(crawl.deps, stale, NEVER);
    expect(crawl.gateway.requests("quoteBatch")).toHaveLength(0);
  });

  it("keeps its lease while the gateway is slow, so that the work is not lost", async () => {
    const crawl = await walked({
      quoteBatch: async (urls) => {
        await crawl.clock.sleep(crawl.deps.limits.leaseMs * 2);
        return listAll(urls);
      },
    });
    const work = quote(crawl.deps, await crawl.lease("quote"), NEVER);
    // The gateway's slowness is time, not a call that the clock must wait for.
    await crawl.clock.drive(work, () => true);
    expect((await crawl.ledger.readRun(crawl.runId)).pages.approved).toBe(5);
    expect(crawl.clock.sleeping).toBe(0);
  });

  it("denies what does not fit the budget and buys what fits", async () => {
    const crawl = await walked(
      {},
      {
        budgets: [{ scope: { kind: "all" }, period: "total", limitMicros: 3_000 as never, currency: "USD" }],
      },
    );
    await quote(crawl.deps, await crawl.lease("quote"), NEVER);
    expect((await crawl.ledger.readRun(crawl.runId)).pages).toMatchObject({ approved: 3, denied: 2 });
    expect(await denialsOf(crawl)).toEqual({ budget_exhausted: 2 });
  });

  it("requests no rates for pages that are only indexed", async () => {
    const crawl = await walked({}, { intent: "indexing" });
    await quote(crawl.deps, await crawl.lease("quote"), NEVER);
    expect(crawl.gateway.requests("quoteBatch")).toHaveLength(0);
    expect((await crawl.ledger.readRun(crawl.runId)).pages.approved).toBe(5);
  });
});
