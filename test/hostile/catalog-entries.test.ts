import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RawAnswer } from "./hostile-gateway.ts";
import { nastyText, worlds } from "./hostile-values.ts";
import { createHostileWorld, type HostileWorld, pageUrls } from "./hostile-world.ts";

const PAGES = pageUrls(6);
const entry = (pageUrl: unknown, rest: object = {}) => ({ pageUrl, ...rest });

/** Entries that are not pages of the site, and the reason that is recorded. */
const REJECTED: readonly (readonly [name: string, entry: unknown, reason: string])[] = [
  ["another host", entry("https://evil.example/p/0"), "host"],
  ["a host below", entry("https://a.news.example/p/0"), "host"],
  ["a host that begins alike", entry("https://news.example.evil.example/p/0"), "host"],
  ["another port", entry("https://news.example:8443/p/0"), "host"],
  ["a letter that looks alike", entry("https://nеws.example/p/0"), "host"],
  ["no host", entry("https:///p/0"), "host"],
  ["userinfo", entry("https://news.example@evil.example/p/0"), "credentials"],
  ["userinfo for the site", entry("https://user:pass@news.example/p/0"), "credentials"],
  ["a script", entry("javascript:alert(1)//news.example/"), "scheme"],
  ["a file", entry("file:///etc/passwd"), "scheme"],
  ["data", entry("data:text/html,x"), "scheme"],
  ["a path alone", entry("/p/0"), "not_a_url"],
  ["no scheme", entry("//news.example/p/0"), "not_a_url"],
  ["NUL", entry("https://news.example/a\u0000b"), "control_characters"],
  ["an escape", entry("https://news.example/\u001b[31m"), "control_characters"],
  ["C1", entry("https://news.example/\u009b2J"), "control_characters"],
  ["a line break that a parser would drop", entry("https://news.exa\nmple/p/0"), "control_characters"],
  ["a megabyte", entry(`https://news.example/${"x".repeat(1_000_000)}`), "too_long"],
  ["a URL that is a number", entry(7), "unreadable"],
  ["a URL that is an object", entry({ toString: "x" }), "unreadable"],
  ["no URL", { lastMod: "2026-01-01" }, "unreadable"],
  ["an empty URL", entry(""), "unreadable"],
  ["null", null, "unreadable"],
  ["a text", "https://news.example/p/0", "unreadable"],
  ["a list", [PAGES[0]], "unreadable"],
  ["a prototype", JSON.parse('{"__proto__": {"pageUrl": "https://news.example/polluted"}}'), "unreadable"],
];

/** Odd spellings of one page that the catalog lists anyway: they are that page, and cost nothing more. */
const SAME_PAGE = [
  "HTTPS://NEWS.EXAMPLE/p/0",
  "https://news.example:443/p/0",
  "https://news.example/x/../p/0",
  "https://news.example/p/%2e%2e/p/0",
  "https:\\\\news.example\\p\\0",
  "https://news.example/p/0#top",
  "  https://news.example/p/0  ",
  "https://nEws。example/p/0",
];

/** `lastMod`s that say nothing, or too much. */
const LAST_MODS = [
  "",
  "yesterday",
  "0001-01-01",
  "9999-12-31T23:59:59Z",
  "2026-13-45",
  "+275760-09-13",
  "\u001b[2J",
  "\ud800",
  1e9,
  -1,
  null,
  [],
  {},
  "2".repeat(100_000),
];

async function inWorld<Result>(
  work: (world: HostileWorld) => Promise<Result>,
  pages: readonly string[] = PAGES,
): Promise<Result> {
  const world = await createHostileWorld({ pages });
  try {
    return await work(world);
  } finally {
    await world.close();
  }
}

/** Every valid page is stored at its price, once; nothing of another site was ever requested; ledger and account agree. */
async function expectNeighboursBought({ gateway, ends, audit }: HostileWorld): Promise<void> {
  expect(gateway.charges.map(({ page }) => new URL(page).href).sort()).toEqual([...PAGES].sort());
  for (const page of PAGES) {
    expect(ends().get(page)).toMatchObject({ state: "settled", charged: 1_000, currency: "USD" });
  }
  expect(await audit()).toEqual([]);
}

describe("an entry of the catalog that is not a page of the site is counted with its reason, and its neighbours are bought", () => {
  test("each kind", () =>
    inWorld(async (world) => {
      world.gateway.twists.catalog = (honest) => {
        const { pages } = honest as { pages: unknown[] };
        return { pages: REJECTED.flatMap(([, bad], index) => [bad, pages[index % pages.length]]) };
      };
      expect(await world.run()).toMatchObject({ state: "completed" });
      await expectNeighboursBought(world);
      const kept = world.query<{ reason: string; count: number }>(
        "SELECT reason, count(*) AS count FROM rejected_entry GROUP BY reason",
      );
      const reasons = REJECTED.map(([, , reason]) => reason);
      for (const reason of new Set(reasons)) {
        const given = reasons.filter((one) => one === reason).length;
        expect([reason, kept.find((row) => row.reason === reason)?.count]).toEqual([reason, Math.min(given, 5)]);
      }
      const [tally] = world.query<{ count: number }>("SELECT sum(count) AS count FROM tally WHERE kind = 'rejected'");
      expect(tally?.count).toBe(REJECTED.length);
    }));

  // A page is called what the catalog called it first: a gateway that sells it under the plain spelling only gets that one.
  test("and unusual spellings of a page are that page: it is bought once", () =>
    inWorld(async (world) => {
      world.gateway.twists.catalog = (honest) => ({
        pages: [...(honest as { pages: unknown[] }).pages, ...SAME_PAGE.map((url) => entry(url))],
      });
      expect(await world.run()).toMatchObject({ state: "completed", pages: { seen: PAGES.length } });
      await expectNeighboursBought(world);
      expect(world.gateway.charges.map(({ page }) => page).sort()).toEqual([...PAGES].sort());
    }));

  test.each(SAME_PAGE)("also where %j comes first, at a gateway that sells every spelling it lists", (first) => {
    const spellings = [first, ...SAME_PAGE.filter((url) => url !== first), ...PAGES];
    return inWorld(async (world) => {
      expect(await world.run()).toMatchObject({ state: "completed", pages: { seen: PAGES.length } });
      await expectNeighboursBought(world);
    }, spellings);
  });

  test("whatever the entry contains", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            nastyText,
            fc.constantFrom("", "https://news.example/", "https://", "https://news.example"),
            fc.constantFrom(...LAST_MODS),
          ),
          { maxLength: 12 },
        ),
        (hostile) =>
          inWorld(async (world) => {
            world.gateway.twists.catalog = (honest) => ({
              pages: [
                ...hostile.map(([text, prefix, lastMod]) => entry(prefix + text, { lastMod, propertyId: text })),
                ...(honest as { pages: unknown[] }).pages,
              ],
            });
            expect(await world.run()).toMatchObject({ state: "completed" });
            await expectNeighboursBought(world);
            const foreign = world
              .query<{ url: string }>("SELECT url FROM page")
              .filter(({ url }) => !/^https?:\/\/news\.example(:80|:443)?\//.test(url));
            expect(foreign).toEqual([]);
          }),
      ),
      worlds(8),
    ));
});

test("a page whose lastMod cannot be read is not bought again as long as the text stays the same", () =>
  inWorld(async (world) => {
    world.gateway.twists.catalog = (honest) => ({
      pages: (honest as { pages: object[] }).pages.map((page, index) => ({
        ...page,
        lastMod: LAST_MODS[index % LAST_MODS.length],
      })),
    });
    for (const texts of [LAST_MODS.slice(0, 6), LAST_MODS.slice(6, 12), LAST_MODS.slice(8, 14)]) {
      world.gateway.twists.catalog = (honest) => ({
        pages: (honest as { pages: object[] }).pages.map((page, index) => ({ ...page, lastMod: texts[index] })),
      });
      await world.run();
      const { length } = world.gateway.charges;
      await world.run();
      expect(world.gateway.charges.slice(length)).toEqual([]);
    }
  }));

describe("a catalog without an end", () => {
  test("because it repeats a page token, ends there with a warning", () =>
    inWorld(async (world) => {
      world.gateway.twists.catalog = (honest) => ({ ...(honest as object), pageToken: "again" });
      const report = await world.run();
      expect(report).toMatchObject({
        state: "completed",
        sites: [{ walkWarning: expect.stringContaining("repeated a page token") }],
      });
      expect(world.gateway.asked.catalog).toBe(2);
      await expectNeighboursBought(world);
    }));

  test("because there are always more pages with nothing new on them, ends after a thousand of them", () =>
    inWorld(async (world) => {
      world.gateway.twists.catalog = (honest) => {
        const { pages } = honest as { pages: unknown[] };
        const answers = world.gateway.asked.catalog;
        const more = [[], pages, [entry(`https://evil.example/${answers}`)]][answers % 3];
        return { pages: answers === 1 ? pages : more, pageToken: `next-${answers}` };
      };
      expect(await world.run()).toMatchObject({
        state: "completed",
        sites: [{ walkWarning: expect.stringContaining("had no new entry") }],
      });
      // A thousand, one for each page of the site that was found, and the one that was too many.
      expect(world.gateway.asked.catalog).toBe(1_000 + PAGES.length + 1);
      await expectNeighboursBought(world);
    }));

  test.each([
    ["a megabyte", "x".repeat(1_000_000)],
    ["control characters", "\u0000\r\n\u001b]0;x\u0007\u202e"],
    ["half a character", "\ud800"],
    ["a path", "../../__sandbox/audit?x=1&pageSize=9#"],
    ["a prototype", "__proto__"],
  ])("a page token with %s is sent back unchanged or ends the walk, and what was read is bought", (_, token) =>
    inWorld(async (world) => {
      const targets: string[] = [];
      world.gateway.twists.catalog = (honest, { query }) => {
        targets.push(query.get("pageToken") ?? "");
        return { ...(honest as object), ...(query.get("pageToken") === null ? { pageToken: token } : {}) };
      };
      expect(await world.run()).toMatchObject({ state: "completed" });
      expect([1, 2]).toContain(targets.length);
      expect(targets[1] ?? token).toBe(token.replace(/\p{Surrogate}/gu, "\ufffd"));
      await expectNeighboursBought(world);
    }),
  );
});

describe("a catalog that is not a catalog", () => {
  test.each([
    ["no JSON", new RawAnswer(200, "<html>")],
    ["JSON cut short", new RawAnswer(200, '{"pages": [')],
    ["nothing", new RawAnswer(200, "")],
    ["a text", "pages"],
    ["pages that are not a list", { pages: { 0: "x" } }],
    ["a page token that is a number", { pages: [], pageToken: 7 }],
    ["no UTF-8", new RawAnswer(200, Buffer.from([0xff, 0xfe, 0x80, 0x7b]))],
    [
      "a charset that is a lie",
      new RawAnswer(200, Buffer.from('{"pages": 1}', "utf16le"), { "content-type": "application/json; charset=utf-8" }),
    ],
    ["a redirect to another host", new RawAnswer(302, "", { location: "https://evil.example/" })],
  ])("%s: the run ends with a reason, and the next one, with a catalog, buys everything", (_, answer) =>
    inWorld(async (world) => {
      world.gateway.twists.catalog = () => answer;
      const report = await world.run();
      expect(["failed", "refused"]).toContain(report.state);
      world.gateway.twists.catalog = undefined as never;
      await world.run();
      await expectNeighboursBought(world);
    }),
  );
});
