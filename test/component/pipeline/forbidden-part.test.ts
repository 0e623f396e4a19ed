import { afterEach, describe, expect, it } from "vitest";
import { toMicros } from "../../../src/money/micros.ts";
import { acquire } from "../../../src/pipeline/acquire/acquire.ts";
import { quote } from "../../../src/pipeline/quote/quote.ts";
import { walk } from "../../../src/pipeline/walk/walk.ts";
import { createSlots } from "../../../src/pipeline/work/slots.ts";
import {
  catalogPage,
  contentAnswer,
  type GatewayScript,
  gatewayError,
  LICENSE,
  listAll,
  listing,
  PRICE,
  REFUSED,
} from "../../doubles/scripted-gateway.ts";
import { createStageWorld, NEVER, pageUrl, type StageWorld, type WorldOptions } from "./stage-world.ts";

let world: StageWorld;
afterEach(() => world.close());

const paths = (part: string, count: number) => Array.from({ length: count }, (_, index) => `${part}${index}`);
const PREMIUM = paths("/premium/", 8);
const NEWS = paths("/news/", 8);

const GOLD = paths("/gold/", 8);

const isPremium = (url: string) => url.includes("/premium/");
const forbid = (): never => {
  throw gatewayError("GATEWAY_FORBIDDEN");
};

const HALF_FORBIDDEN_RATES: GatewayScript = {
  quoteBatch: (urls) => (urls.some(isPremium) ? forbid() : listAll(urls)),
  quotePage: (url) => (isPremium(url) ? forbid() : listing()),
};

async function stopOf(): Promise<string | null | undefined> {
  return (await world.ledger.readRun(world.runId)).sites[0]?.stop;
}

async function approved(): Promise<number> {
  return (await world.ledger.readRun(world.runId)).pages.approved;
}

/** Leases what is ready and works it, until nothing is left of the run. */
async function workThrough(options: { stopAt?: "acquire" } = {}): Promise<void> {
  const { deps, ledger, runId, clock } = world;
  for (;;) {
    const [lease] = await ledger.leaseBatches({
      runId,
      limit: 1,
      now: clock.now(),
      leaseMs: deps.limits.leaseMs,
      maxWaitingPages: 1_000,
    });
    if (lease === undefined) {
      const { openBatches, nextReadyAt } = await ledger.readProgress({ runId, now: clock.now() });
      if (openBatches === 0 || nextReadyAt === null) {
        return;
      }
      clock.advance(Math.max(1, nextReadyAt - clock.now()));
    } else if (lease.stage === options.stopAt) {
      return;
    } else {
      const stage = lease.stage === "walk" ? walk : lease.stage === "quote" ? quote : acquire;
      await world.drive(stage(deps, lease.leaseId, NEVER));
    }
  }
}

async function open(script: GatewayScript, options: WorldOptions = {}): Promise<void> {
  world = await createStageWorld({ ...options, script });
}

const inOneList = (all: readonly string[]) => () => catalogPage(all.map((path) => pageUrl(path)));

/** The forbidden part fills the first page of the catalog, the other one the second. */
const inTwoLists: GatewayScript["listCatalog"] = ({ pageToken }) =>
  pageToken === null
    ? catalogPage(
        PREMIUM.map((path) => pageUrl(path)),
        { nextPageToken: "2" },
      )
    : catalogPage(NEWS.map((path) => pageUrl(path)));

describe("a site that forbids half of its rates", () => {
  it("sells the other half that comes later in the same batch", async () => {
    await open(
      { ...HALF_FORBIDDEN_RATES, listCatalog: inOneList([...PREMIUM, ...NEWS]) },
      { limits: { quoteBatchSize: 16 } },
    );
    await workThrough({ stopAt: "acquire" });
    expect(await stopOf()).toBeNull();
    expect(await approved()).toBe(NEWS.length);
    expect((await world.ledger.readRun(world.runId)).denials).toEqual({ quote_refused: PREMIUM.length });
  });

  it("is asked for a page of its other part that a later page of the catalog lists", async () => {
    await open({ ...HALF_FORBIDDEN_RATES, listCatalog: inTwoLists });
    await workThrough({ stopAt: "acquire" });
    expect(await stopOf()).toBeNull();
    expect(await approved()).toBe(NEWS.length);
  });

  it("sells pages of the same part that come after five refused pages", async () => {
    const refused = new Set(NEWS.slice(0, 5).map((path) => pageUrl(path)));
    await open({
      quoteBatch: (urls) => (urls.some((url) => refused.has(url)) ? forbid() : listAll(urls)),
      quotePage: (url) => (refused.has(url) ? forbid() : listing()),
      listCatalog: inOneList(NEWS),
    });
    await workThrough({ stopAt: "acquire" });
    expect(await approved()).toBe(3);
  });

  it("is not tested again once some rates were allowed", async () => {
    await open({ ...HALF_FORBIDDEN_RATES, listCatalog: inOneList([...NEWS, ...PREMIUM]) });
    await workThrough({ stopAt: "acquire" });
    expect(await stopOf()).toBeNull();
    expect(world.gateway.requests("quotePage")).toHaveLength(0);
  });
});

describe("a site that is not enabled", () => {
  it("is stopped after a page of its other part was tested too", async () => {
    await open({ quoteBatch: forbid, quotePage: forbid, listCatalog: inTwoLists });
    await workThrough();
    expect(await stopOf()).toBe("not_enabled");
    expect(world.gateway.requests("quotePage")).toContain(pageUrl(NEWS[0] as string));
    expect(world.said.filter(({ event }) => event === "siteStopped")).toHaveLength(1);
  });

  it("is stopped although its catalog never ends and lists one part only", async () => {
    let page = 0;
    await open({
      quoteBatch: forbid,
      quotePage: forbid,
      listCatalog: () => catalogPage([pageUrl(`/premium/${page++}`)], { nextPageToken: `${page}` }),
    });
    await workThrough();
    expect(await stopOf()).toBe("not_enabled");
  });
});

describe("a site that forbids half of its tokens", () => {
  const token = (url: string) => ({ token: `t-${url}`, expiresAt: world.clock.now() + 300_000 });

  it.each([
    { where: "behind in the same batch", limits: { quoteBatchSize: 16, acquireBatchSize: 16 } },
    { where: "in a later batch", limits: { quoteBatchSize: 16, acquireBatchSize: 8 } },
  ])("sells what is listed $where", async ({ limits }) => {
    await open(
      {
        issueContentToken: ({ url }) => (isPremium(url) ? forbid() : token(url)),
        listCatalog: inOneList([...PREMIUM, ...NEWS]),
      },
      { limits },
    );
    await workThrough();
    expect(await stopOf()).toBeNull();
    expect(new Set(await world.ends(NEWS))).toEqual(new Set(["settled"]));
    expect(new Set(await world.ends(PREMIUM))).toEqual(new Set(["released token_refused"]));
  });

  it("is stopped after seven requests when the other part is forbidden too", async () => {
    await open(
      { issueContentToken: forbid, listCatalog: inOneList([...PREMIUM, ...NEWS]) },
      { limits: { quoteBatchSize: 16, acquireBatchSize: 8 } },
    );
    world = { ...world, deps: { ...world.deps, pageSlots: createSlots(1) } };
    await workThrough();
    expect(await stopOf()).toBe("not_enabled");
    expect(world.gateway.requests("issueContentToken").length).toBeLessThanOrEqual(7);
    // All were decided, and those that were not asked for by then are taken back.
    expect((await world.ledger.readRun(world.runId)).pages).toMatchObject({ quoted: PREMIUM.length + NEWS.length });
    expect(await approved()).toBe(5);
  });

  const asked = () => world.gateway.requests("issueContentToken");
  const GOLD_PRICE = { micros: toMicros(7_000), currency: "USD" };
  const GOLD_LICENSE = { ...LICENSE, cuid: "lic-gold" };
  /** Gold has its own license and price; there are no rates for the archive. */
  const quoteByPart: GatewayScript["quoteBatch"] = (urls) =>
    new Map(
      urls
        .filter((url) => !url.includes("/archive/"))
        .map((url) => [url, url.includes("/gold/") ? listing(GOLD_PRICE, GOLD_LICENSE) : listing()]),
    );

  it("is asked for tokens only of its reserved purchases, each under its own terms", async () => {
    await open(
      {
        issueContentToken: forbid,
        quoteBatch: quoteByPart,
        listCatalog: inOneList([...PREMIUM, ...paths("/archive/", 3), ...paths("/excluded/", 3), ...GOLD]),
      },
      { limits: { quoteBatchSize: 32, acquireBatchSize: 8 } },
    );
    await workThrough();
    expect(await stopOf()).toBe("not_enabled");
    expect(asked().some(({ url }) => url.includes("/gold/"))).toBe(true);
    for (const { url, licenseCuid, maxPrice } of asked()) {
      const [license, price] = url.includes("/gold/") ? [GOLD_LICENSE, GOLD_PRICE] : [LICENSE, PRICE];
      expect({ url, licenseCuid, maxPrice }).toEqual({ url, licenseCuid: license.cuid, maxPrice: price });
      expect((await world.purchase(new URL(url).pathname))?.state).toBe("released");
    }
  });

  it("releases only the pages of its part where nothing of another part may be bought", async () => {
    await open(
      {
        issueContentToken: forbid,
        quoteBatch: quoteByPart,
        listCatalog: inOneList([...PREMIUM, ...paths("/archive/", 3)]),
      },
      { limits: { quoteBatchSize: 32 } },
    );
    await workThrough();
    expect(await stopOf()).toBeNull();
    expect(asked()).toHaveLength(PREMIUM.length);
    expect(new Set(await world.ends(PREMIUM))).toEqual(new Set(["released token_refused"]));
  });

  it("is stopped at the first pages of its second part, when that part is reserved only after the first was released", async () => {
    const pages = { premium: paths("/premium/", 8), news: paths("/news/", 40) };
    await open(
      {
        issueContentToken: forbid,
        listCatalog: ({ pageToken }) =>
          pageToken === null
            ? catalogPage(
                pages.premium.map((path) => pageUrl(path)),
                { nextPageToken: "2" },
              )
            : catalogPage(pages.news.map((path) => pageUrl(path))),
      },
      { limits: { acquireBatchSize: 40, quoteBatchSize: 40 } },
    );
    await workThrough();
    expect(await stopOf()).toBe("not_enabled");
    expect(asked().length).toBeLessThan(PREMIUM.length + 10);
  });

  it("is stopped when its whole catalog has one part", async () => {
    await open({ issueContentToken: forbid, listCatalog: inOneList(paths("/premium/", 30)) });
    await workThrough();
    expect(await stopOf()).toBe("not_enabled");
    expect(asked().length).toBeLessThan(12);
  });

  it("is stopped by the next refused page when its stop could not be written", async () => {
    await open({ issueContentToken: forbid, listCatalog: inOneList(paths("/premium/", 30)) });
    const { ledger } = world;
    let failures = 1;
    const failing = Object.create(ledger, {
      stopSite: {
        value: (stop: Parameters<typeof ledger.stopSite>[0]) => {
          failures -= 1;
          return failures < 0 ? ledger.stopSite(stop) : Promise.reject(new Error("the ledger is locked"));
        },
      },
    }) as typeof ledger;
    world = { ...world, deps: { ...world.deps, ledger: failing } };
    await expect(workThrough()).rejects.toThrow("the ledger is locked");
    expect(await stopOf()).toBeNull();
    await workThrough();
    expect(await stopOf()).toBe("not_enabled");
  });

  it("sells pages of the same part that come after five refused pages", async () => {
    const refused = new Set(NEWS.slice(0, 5).map((path) => pageUrl(path)));
    await open({
      issueContentToken: ({ url }) => (refused.has(url) ? forbid() : token(url)),
      listCatalog: inOneList(NEWS),
    });
    await workThrough();
    expect(await stopOf()).toBeNull();
    expect((await world.ends(NEWS)).filter((end) => end === "settled")).toHaveLength(3);
  });

  it("sells the third part where two are forbidden", async () => {
    await open(
      {
        issueContentToken: ({ url }) => (url.includes("/news/") ? token(url) : forbid()),
        listCatalog: inOneList([...PREMIUM, ...NEWS, ...GOLD]),
      },
      { limits: { quoteBatchSize: 32, acquireBatchSize: 8 } },
    );
    await workThrough();
    expect(await stopOf()).toBeNull();
    expect(new Set(await world.ends(NEWS))).toEqual(new Set(["settled"]));
  });
});

describe("a site that has granted a token", () => {
  it("is not stopped for pages that are forbidden after it, although no content came for that token", async () => {
    const [first, sold] = [pageUrl("/news/0"), pageUrl("/news/6")];
    await open(
      {
        issueContentToken: ({ url }) =>
          url === first || url === sold ? { token: `t-${url}`, expiresAt: world.clock.now() + 300_000 } : forbid(),
        fetchContent: ({ url }) => (url === first ? REFUSED(404) : contentAnswer()),
        listCatalog: inOneList(NEWS),
      },
      { limits: { quoteBatchSize: 8, acquireBatchSize: 8 } },
    );
    world = { ...world, deps: { ...world.deps, pageSlots: createSlots(1) } };
    await workThrough();
    expect(await stopOf()).toBeNull();
    expect(await world.ends(["/news/6"])).toEqual(["settled"]);
  });
});

describe("a site that forbids half of its contents", () => {
  const limits = { quoteBatchSize: 16, acquireBatchSize: 8 };

  it("sells the other part, in whatever batch it is", async () => {
    await open(
      {
        fetchContent: ({ url }) => (isPremium(url) ? REFUSED(403) : contentAnswer()),
        listCatalog: inOneList([...PREMIUM, ...NEWS]),
      },
      { limits },
    );
    await workThrough();
    expect(await stopOf()).toBeNull();
    expect(new Set(await world.ends(NEWS))).toEqual(new Set(["settled"]));
  });

  it("sells pages of the same part that come after five refused pages", async () => {
    const refused = new Set(NEWS.slice(0, 5).map((path) => pageUrl(path)));
    await open(
      {
        fetchContent: ({ url }) => (refused.has(url) ? REFUSED(403) : contentAnswer()),
        listCatalog: inOneList(NEWS),
      },
      { limits },
    );
    await workThrough();
    expect(await stopOf()).toBeNull();
    expect((await world.ends(NEWS)).filter((end) => end === "settled")).toHaveLength(3);
  });

  it("is stopped once both parts were refused, and never earlier", async () => {
    await open({ fetchContent: () => REFUSED(403), listCatalog: inOneList([...PREMIUM, ...NEWS]) }, { limits });
    await workThrough();
    expect(await stopOf()).toBe("not_enabled");
    expect(world.gateway.requests("fetchContent")).toHaveLength(PREMIUM.length + NEWS.length);
    expect(world.said.filter(({ event }) => event === "siteStopped")).toHaveLength(1);
  });
});
