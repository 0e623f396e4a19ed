import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { loadProfile } from "../../src/sandbox/profile/profile-file.ts";
import { compareAccounts, compareReports } from "../doubles/compare-accounts.ts";
import { type ConfigFile, type CrawlWorld, createCrawlWorld } from "../doubles/crawl-world.ts";

let directory: string;
let world: CrawlWorld | null = null;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "licet-profile-"));
});
afterEach(async () => {
  await world?.close();
  world = null;
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Names and paths of known deployments, and two invented ones. */
const NAMES = {
  service: "Tollbit",
  headers: { token: "{Name}-Token", key: "{Name}-Key", acceptContent: "Accept-Format", reportAgent: "X-Agent" },
  paths: {
    content: "/v9/content/{url}/text",
    catalog: "/v9/{host}/pages",
    rate: "/{name}/dev/v2/rate/{url}",
    rateBatch: "/{name}/dev/v2/rate/batch",
    contentToken: "/{name}/dev/v2/tokens/content",
    indexingToken: "/{name}/dev/v2/tokens/crawl",
    selfReport: "/dev/v2/transactions/selfReport",
    history: "/v9/history",
  },
};

/** A sandbox with the names of a profile file, and licet with its own. */
async function open(file: object, gateway: ConfigFile): Promise<CrawlWorld> {
  const path = join(directory, "profile.json");
  await writeFile(path, JSON.stringify(file));
  const { service, variants } = await loadProfile(path);
  world = await createCrawlWorld({
    sandbox: {
      sites: [{ kind: "synthetic", host: "news.example", pages: 8, bodyBytes: 200 }],
      rates: { default: [{ license: "ON_DEMAND_LICENSE", price: "0.001 USD" }] },
      ...(service === undefined ? {} : { service }),
      profileVariants: variants,
    },
    config: {
      gateway,
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      sites: [{ host: "news.example", policy: "standard" }],
    },
  });
  return world;
}

describe("a sandbox with the names and paths of another deployment", () => {
  test.each([
    ["with a file of these alone", NAMES],
    ["with licet's own configuration", { gateway: { ...NAMES, baseUrl: "https://gateway.example" }, sites: [] }],
  ])("sells to licet under the same overrides, %s", async (_name, file) => {
    const { sandbox, ledgerFile, openAgent } = await open(file, NAMES);
    const agent = await openAgent();
    expect(await agent.run()).toMatchObject({ state: "completed", pages: { bought: 8, failed: 0 } });
    expect(compareAccounts(sandbox, ledgerFile)).toEqual([]);
    expect(compareReports(sandbox, ledgerFile)).toEqual([]);
    expect((await agent.history().next()).done).toBe(true);
  });

  test("refuses every content with 401, and charges nothing, when the token has another header", async () => {
    const { sandbox, openAgent } = await open(NAMES, { ...NAMES, headers: { ...NAMES.headers, token: "{Name}Token" } });
    const { pages } = await (await openAgent()).run();
    expect(pages).toMatchObject({ bought: 0, inDoubt: 0 });
    expect(Object.keys(sandbox.audit().requests.content ?? {})).toEqual(["401"]);
    expect(sandbox.audit().charges).toEqual([]);
  });
});

describe("a profile file that cannot be used", () => {
  test.each([
    [{ header: { token: "X" } }, "header"],
    [{ headers: { tokken: "X" } }, "tokken"],
    [{ headers: { token: "with space" } }, "headers.token"],
    [{ paths: { rate: "/rate" } }, "paths.rate"],
    [{ paths: { rateBatch: "/rates/{url}" } }, "paths.rateBatch"],
    [{ gateway: { paths: { rates: "/rate/{url}" } } }, "rates"],
    [{ service: "My Service" }, "service"],
  ])("%j is refused by name", async (file, name) => {
    const path = join(directory, "broken.yaml");
    await writeFile(path, JSON.stringify(file));
    await expect(loadProfile(path)).rejects.toThrow(name);
    await expect(loadProfile(path)).rejects.toThrow(path);
  });
});
