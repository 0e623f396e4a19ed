/** The effect of a catalog and its rates on the costs, tested with the command line and the gateway's account. */
import { afterEach, describe, expect, test } from "vitest";
import { cliHere } from "../doubles/cli-here.ts";
import { createDirectory, writeConfig } from "../doubles/cli-process.ts";
import { honestRate, LICENSE, PRICE_MICROS, startHostileGateway } from "../hostile/hostile-gateway.ts";
import { API_KEY, configFile, HOST } from "../hostile/hostile-world.ts";

type Rates = readonly object[];

interface World {
  /** The lines of the catalog, each a path and its date. */
  catalog: readonly (readonly [path: string, lastMod: string | null])[];
  /** By the page's URL. */
  rates: (url: string) => Rates;
  readonly charged: () => string[];
  json(...args: string[]): Promise<{ readonly code: number | null; readonly value: unknown; readonly stderr: string }>;
}

let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing) {
    await close();
  }
  closing = [];
});

async function open(config: Readonly<Record<string, unknown>> = {}): Promise<World> {
  const gateway = await startHostileGateway([]);
  const directory = await createDirectory();
  closing = [gateway.close, directory.remove];
  await writeConfig(directory.path, configFile(gateway.url, { config }));
  const world: World = {
    catalog: [],
    rates: () => [honestRate()],
    charged: () => gateway.charges.map(({ page }) => page),
    json: async (...args) => {
      const place = { cwd: directory.path, env: { LICET_API_KEY: API_KEY } };
      const { code, stdout, stderr } = await cliHere([...args, "--json"], place);
      return { code, value: JSON.parse(stdout) as unknown, stderr };
    },
  };
  gateway.twists.catalog = () => ({
    pages: world.catalog.map(([path, lastMod]) => ({
      pageUrl: path.startsWith("/") ? `https://${HOST}${path}` : path,
      lastMod,
    })),
  });
  gateway.twists.rates = (_honest, { json }) =>
    (json as { urls: string[] }).urls.map((url) => ({ url, rates: world.rates(url) }));
  gateway.twists.rate = (_honest, { page }) => world.rates(page);
  // What is charged is what was listed.
  gateway.twists.content = (honest, { page }) =>
    "content" in (honest as object) ? { ...(honest as object), rate: world.rates(page)[0] } : honest;
  return world;
}

const dated = (paths: readonly string[], lastMod: string | null = "2026-01-02") =>
  paths.map((path) => [path, lastMod] as const);
const priced = (priceMicros: unknown, currency = "USD") => ({ price: { priceMicros, currency }, license: LICENSE });

describe("a catalog", () => {
  test.each([
    ["that cannot be read", "soon", "later"],
    ["that lies ahead", "2099-01-01", "2099-02-01"],
  ])(
    "that gives a date %s for a page of a fetch: the next walk does not buy it again, until the date changes",
    async (_, first, other) => {
      const world = await open();
      world.catalog = dated(["/a"], first);
      await world.json("fetch", `https://${HOST}/a`);
      for (let walk = 1; walk <= 2; walk++) {
        expect((await world.json("run")).value).toMatchObject({ pages: { unchanged: 1, bought: 0 } });
      }
      world.catalog = dated(["/a"], other);
      expect((await world.json("run")).value).toMatchObject({ pages: { bought: 1 } });
      expect((await world.json("run")).value).toMatchObject({ pages: { unchanged: 1, bought: 0 } });
      expect(world.charged()).toHaveLength(2);
      expect((await world.json("audit")).value).toMatchObject({ ok: true });
    },
  );

  test("that spells one page in two ways: the page is bought once; under http and https it is bought twice, with a warning", async () => {
    const world = await open();
    world.catalog = dated(["/caf%c3%a9", "/caf%C3%A9", "/%7Ea", "/~a", "/b", `http://${HOST}/b`]);
    const { value } = await world.json("run");
    expect(world.charged()).toHaveLength(4);
    expect(value).toMatchObject({
      pages: { seen: 4, bought: 4 },
      warnings: [expect.stringContaining(`under both http and https, such as http://${HOST}/b`)],
    });
    world.catalog = dated(["/caf%C3%a9", "/%7ea", "/b"]);
    expect((await world.json("run")).value).toMatchObject({ pages: { seen: 3, unchanged: 3, quoted: 0, bought: 0 } });
    expect((await world.json("audit")).value).toMatchObject({ ok: true });
  });

  test("that lists a page under two dates: each version is bought once", async () => {
    const world = await open();
    const list = (newer: string) => [...dated(["/a"], newer), ...dated(["/a"], "2026-01-01")];
    world.catalog = list("2026-01-02");
    await world.json("run");
    expect((await world.json("run")).value).toMatchObject({ pages: { unchanged: 1, quoted: 0 } });
    world.catalog = list("2026-01-03");
    expect((await world.json("plan")).value).toMatchObject({ pages: { approved: 1 } });
    expect((await world.json("run")).value).toMatchObject({ pages: { quoted: 1, bought: 1 } });
    expect((await world.json("run")).value).toMatchObject({ pages: { unchanged: 1, quoted: 0 } });
    expect(world.charged()).toHaveLength(2);
  });

  test("that dates every page by its build is bought again, with a warning that counts it, until refresh.minAge", async () => {
    const world = await open();
    world.catalog = dated(["/a", "/b"], "2026-01-02");
    expect((await world.json("run")).value).toMatchObject({ warnings: [] });
    world.catalog = dated(["/a", "/b"], "2026-01-03");
    const { value } = await world.json("run");
    const warning = expect.stringMatching(
      /of 2 pages that were bought again in this run, 2 had the same .*refresh\.minAge/,
    );
    expect(value).toMatchObject({ sites: [{ repurchased: 2, repurchasedEqual: 2 }], warnings: [warning] });
    world.catalog = dated(["/a", "/b"], "2026-01-04");
    const inPlan = expect.stringMatching(/of 2 pages that were bought again in recent runs, 2 had the same/);
    expect((await world.json("plan")).value).toMatchObject({ pages: { approved: 2 }, warnings: [inPlan] });
  });

  test("that dates every page by its build costs nothing more with refresh.minAge", async () => {
    const world = await open({ sites: [{ host: HOST, policy: "standard", refresh: { minAge: "1h" } }] });
    for (const day of [2, 3, 4]) {
      world.catalog = dated(["/a", "/b"], `2026-01-0${day}`);
      expect((await world.json("plan")).value).toMatchObject({ pages: { approved: day === 2 ? 2 : 0 } });
      await world.json("run");
    }
    expect(world.charged()).toHaveLength(2);
  });

  test("cannot avoid a deny, an exclude or an allow by another spelling of a path", async () => {
    const world = await open({
      policies: { standard: { rules: [{ deny: { urls: ["/private/**"] } }, { allow: { urls: ["/news/**"] } }] } },
      sites: [{ host: HOST, policy: "standard", exclude: ["/drafts/**"] }],
    });
    world.catalog = dated([
      "/news/a",
      "//private/x",
      "/news/..%2Fprivate/x",
      "/news/..;/private/x",
      "/news%2Fb",
      "//drafts/x",
      "/news/%2e%2e%2fdrafts/x",
    ]);
    expect((await world.json("run")).value).toMatchObject({ pages: { bought: 1, excluded: 2, denied: 4 } });
    expect(world.charged()).toEqual([`https://${HOST}/news/a`]);
  });
});

describe("rates", () => {
  test("in an exhausted currency stop that currency alone: the exit code is 3, and the plan agrees", async () => {
    const world = await open({
      budgets: [
        { scope: "all", limit: "0.001 EUR" },
        { scope: "all", limit: "1 USD" },
      ],
    });
    world.catalog = dated(Array.from({ length: 60 }, (_, index) => `/p/${index}`));
    world.rates = (url) => [priced(PRICE_MICROS, Number(/\d+$/.exec(url)?.[0]) % 2 === 0 ? "EUR" : "USD")];
    expect((await world.json("plan")).value).toMatchObject({
      pages: { approved: 31 },
      cost: { EUR: { pages: 1 }, USD: { pages: 30 } },
      denials: { budget_exhausted: 29 },
    });
    const { code, value } = await world.json("run");
    expect(value).toMatchObject({
      state: "budget_exhausted",
      reason: "budget all per total in EUR",
      pages: { bought: 31, denied: 29 },
      denials: { budget_exhausted: 29 },
      spend: { EUR: { settledMicros: PRICE_MICROS }, USD: { settledMicros: 30 * PRICE_MICROS } },
      sites: [{ stop: null, exhausted: { EUR: "budget all per total in EUR" } }],
      warnings: [
        expect.stringContaining("no more pages priced in EUR are bought"),
        expect.stringContaining("100 % of the budget all (EUR) is used"),
      ],
    });
    expect(code).toBe(3);
    expect((await world.json("audit")).value).toMatchObject({ ok: true });
  });

  test("given as text are reported once a site, by run and plan, with the first example and its text", async () => {
    const world = await open();
    world.catalog = dated(["/a", "/b", "/c"]);
    world.rates = () => [priced("5000")];
    const warning = expect.stringMatching(
      new RegExp(`${HOST}: 3 rates cannot be bought, such as one of https://${HOST}/a: priceMicros is the text "5000"`),
    );
    expect((await world.json("plan")).value).toMatchObject({ denials: { no_usable_rate: 3 }, warnings: [warning] });
    const { value, stderr } = await world.json("run");
    expect(value).toMatchObject({ denials: { no_usable_rate: 3 }, warnings: [warning] });
    expect(stderr).toContain('priceMicros is the text \\"5000\\"');
  });

  test.each([
    ["deny", [{ deny: { permissions: ["CITATION_REQUIRED"] } }, { allow: {} }], "denied_by_rule"],
    ["lacks", [{ allow: { lacks: ["CITATION_REQUIRED"] } }], "no_rule_matched"],
    ["permissions", [{ allow: { permissions: ["PARTIAL_USE"] } }], "no_rule_matched"],
  ])("without permissions satisfy no rule that asks for them: %s", async (_, rules, reason) => {
    const world = await open({ policies: { standard: { rules } } });
    world.catalog = dated(["/a"]);
    const { permissions: _unsaid, ...license } = LICENSE;
    world.rates = () => [{ ...honestRate(), license }];
    expect((await world.json("run")).value).toMatchObject({ pages: { bought: 0 }, denials: { [reason]: 1 } });
    expect(world.charged()).toEqual([]);
    expect((await world.json("explain", `https://${HOST}/a`)).value).toMatchObject({
      live: { listing: { rates: [{ license: { permissions: null } }] } },
    });
  });
});
