/** Two configurations on one ledger, each with a policy of the same name, and a site of its own. */
import { expect, it, onTestFinished } from "vitest";
import { createCrawlWorld } from "../../../doubles/crawl-world.ts";

const HOSTS = ["a.example", "b.example"] as const;
const RULES = [{ allow: {} }];

it("neither purges nor hides what the other one bought under a policy of the same name", async () => {
  const pages = [{ url: "/page", markdown: "# A page", rates: [{ priceMicros: 1_000 }] }];
  const world = await createCrawlWorld({
    sandbox: {
      sites: HOSTS.map((host) => ({
        kind: "pages" as const,
        host,
        pages: pages.map((page) => ({ ...page, url: `https://${host}/page` })),
      })),
    },
    config: {},
  });
  onTestFinished(world.close);
  const open = async (host: string, terms: { readonly retention?: string; readonly onExpiry?: string }) => {
    await world.configure({
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      policies: { standard: { ...terms, rules: RULES } },
      sites: [{ host, policy: "standard" }],
    });
    return world.openAgent();
  };
  const keeping = await open("a.example", {});
  await keeping.run({});
  const purging = await open("b.example", { retention: "1s", onExpiry: "purge" });
  await purging.run({});
  // The retention of the second configuration is over for both pages.
  await expect.poll(async () => (await purging.purge({ dryRun: true })).versions).toBe(1);
  const given: string[] = [];
  for await (const document of purging.documents({})) {
    given.push(document.host);
    expect(document.rights).toBeNull();
  }
  expect(given).toEqual(["a.example"]);
  expect(await purging.purge({ hosts: ["B.Example"], dryRun: true })).toMatchObject({ versions: 1 });
  expect(await purging.purge({})).toMatchObject({ versions: 1, bySite: { "b.example": 1 } });
  const kept: (string | null)[] = [];
  for await (const { markdown } of keeping.documents({ site: "a.example" })) {
    kept.push(markdown);
  }
  expect(kept).toEqual([expect.stringContaining("A page")]);
});
