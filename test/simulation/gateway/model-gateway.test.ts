import { describe, expect, it } from "vitest";
import { API_KEY, openModelWorld, pageOf, START_AT, urlOf, useOf } from "./model-world.ts";
import { HONEST } from "./traits.ts";

const DAY = "2026-01-09T00:00:00Z";

describe("the catalog", () => {
  it("comes newest first, in pages no larger than requested and than the gateway allows", async () => {
    const { listUrls, client, account } = openModelWorld();
    const first = await listUrls(null);
    const second = await listUrls(first.next);
    const third = await listUrls(second.next);
    expect([first.urls, second.urls, third.urls]).toEqual([[urlOf(5), urlOf(4)], [urlOf(3), urlOf(2)], [urlOf(1)]]);
    expect(third.next).toBeNull();
    const { entries } = await client.listCatalog({ host: "one.example", pageToken: null, pageSize: 50 });
    expect(entries).toHaveLength(3);
    expect(entries[0]?.lastMod).toBe("2026-01-05T00:00:00Z");
    expect(account.protests).toEqual([]);
  });

  it("puts pages without a date at the end", async () => {
    const { gateway, listUrls } = openModelWorld({ maxPageSize: 9 });
    gateway.addPage("one.example", pageOf(6, null), START_AT);
    gateway.addPage("one.example", pageOf(7), START_AT);
    const { urls } = await listUrls(null, 9);
    expect(urls).toEqual([7, 5, 4, 3, 2, 1, 6].map(urlOf));
  });

  it("skips nothing that stayed in its place when an earlier entry is removed", async () => {
    const { gateway, listUrls } = openModelWorld();
    const { next } = await listUrls(null);
    gateway.removePage(urlOf(5));
    gateway.removePage(urlOf(4));
    expect((await listUrls(next)).urls).toEqual([urlOf(3), urlOf(2)]);
  });

  it("shows entries again when something is added before them", async () => {
    const { gateway, listUrls } = openModelWorld();
    const { next } = await listUrls(null);
    gateway.addPage("one.example", pageOf(7), START_AT);
    const second = await listUrls(next);
    expect(second.urls).toEqual([urlOf(4), urlOf(3)]);
    expect((await listUrls(second.next)).urls).toEqual([urlOf(2), urlOf(1)]);
  });

  it("moves a changed page to the front, before a walk that has not reached it yet", async () => {
    const { gateway, listUrls } = openModelWorld();
    const { next } = await listUrls(null);
    gateway.touchPage(urlOf(2), DAY);
    expect((await listUrls(null)).urls).toEqual([urlOf(2), urlOf(5)]);
    const second = await listUrls(next);
    const third = await listUrls(second.next);
    expect([...second.urls, ...third.urls]).toEqual([urlOf(4), urlOf(3), urlOf(1)]);
  });

  it("ends with an empty page when all remaining entries are removed", async () => {
    const { gateway, listUrls } = openModelWorld();
    const { next } = await listUrls(null, 3);
    gateway.removePage(urlOf(2));
    gateway.removePage(urlOf(1));
    expect(await listUrls(next)).toEqual({ urls: [], next: null });
  });

  it("of an unknown site is not found", async () => {
    const { client } = openModelWorld();
    const asked = client.listCatalog({ host: "two.example", pageToken: null, pageSize: 2 });
    await expect(asked).rejects.toMatchObject({ code: "GATEWAY_NOT_FOUND" });
  });
});

describe("rates", () => {
  it("of many pages come in any order and with repeats, without the removed pages", async () => {
    const random = [0, 0.9, 0.1, 0.8, 0.2];
    const { client, gateway, requests, account } = openModelWorld({ random: () => random.shift() ?? 0.5 });
    gateway.removePage(urlOf(3));
    const listings = await client.quoteBatch([urlOf(1), urlOf(2), urlOf(3)]);
    expect([...listings.keys()].sort()).toEqual([urlOf(1), urlOf(2)]);
    expect(listings.get(urlOf(1))?.rates).toMatchObject([
      { price: { micros: 2_000, currency: "USD" }, license: { licenseType: "ON_DEMAND_LICENSE", cuid: "lic-0" } },
      { price: { micros: 7_000 }, license: { licenseType: "CUSTOM_LICENSE", permissions: ["PARTIAL_USE"] } },
    ]);
    expect(account.protests).toEqual([]);
    random.push(0, 0.9, 0.1, 0.8, 0.2);
    const { body } = gateway.handle(requests[0] as never, START_AT);
    expect(JSON.parse(body).map(({ url }: { url: string }) => url)).toEqual([urlOf(1), urlOf(2), urlOf(1)]);
  });

  it("are refused for one page more than the gateway accepts at once", async () => {
    const { client } = openModelWorld({ maxBatchUrls: 2 });
    expect((await client.quoteBatch([urlOf(1), urlOf(2)])).size).toBe(2);
    const asked = client.quoteBatch([urlOf(1), urlOf(2), urlOf(3)]);
    await expect(asked).rejects.toMatchObject({ code: "GATEWAY_REFUSED" });
  });

  it("of one page are the present ones, and earlier ones stay in the account", async () => {
    const { client, gateway, account } = openModelWorld();
    gateway.setPrice(urlOf(1), 0, 2_500, START_AT + 1);
    const { rates } = await client.quotePage(urlOf(1));
    expect(rates.map(({ price, license }) => [price.micros, license.cuid])).toEqual([
      [2_500, "lic-0"],
      [7_000, "lic-c"],
    ]);
    const history = account.rates.get(urlOf(1));
    expect(history?.map(({ at, rates: [first] }) => [at, first?.micros])).toEqual([
      [START_AT, 2_000],
      [START_AT + 1, 2_500],
    ]);
  });

  it("of a removed page are not found", async () => {
    const { client, gateway } = openModelWorld();
    gateway.removePage(urlOf(1));
    await expect(client.quotePage(urlOf(1))).rejects.toMatchObject({ code: "GATEWAY_NOT_FOUND" });
  });
});

describe("a content token", () => {
  it("is issued at the page's rate and refused one micro below it", async () => {
    const { buyToken, account } = openModelWorld();
    const token = await buyToken(urlOf(1), 2_000);
    await expect(buyToken(urlOf(1), 1_999)).rejects.toMatchObject({ code: "GATEWAY_REFUSED" });
    expect(account.tokens).toEqual([
      {
        token,
        kind: "content",
        url: urlOf(1),
        spelling: urlOf(1),
        licenseType: "ON_DEMAND_LICENSE",
        licenseCuid: "lic-0",
        capMicros: 2_000,
        currency: "USD",
        issuedAt: START_AT,
        expiresAt: START_AT + 60_000,
        usedAt: null,
      },
    ]);
    expect(account.protests).toEqual([]);
  });

  it("is refused in another currency and after a price rise", async () => {
    const { buyToken, gateway, account } = openModelWorld();
    const inEuro = buyToken(urlOf(1), 2_000, { maxPrice: { micros: 2_000, currency: "EUR" } });
    await expect(inEuro).rejects.toMatchObject({ code: "GATEWAY_REFUSED" });
    gateway.setPrice(urlOf(1), 0, 2_001, START_AT);
    await expect(buyToken(urlOf(1), 2_000)).rejects.toMatchObject({ code: "GATEWAY_REFUSED" });
    expect(account.protests).toEqual([]);
  });

  it("is not found for a removed page and forbidden for a forbidden page", async () => {
    const { buyToken, client, gateway } = openModelWorld();
    gateway.removePage(urlOf(1));
    gateway.forbidPage(urlOf(2));
    await expect(buyToken(urlOf(1))).rejects.toMatchObject({ code: "GATEWAY_NOT_FOUND" });
    await expect(buyToken(urlOf(2))).rejects.toMatchObject({ code: "GATEWAY_FORBIDDEN" });
    await expect(client.issueIndexingToken(urlOf(1))).rejects.toMatchObject({ code: "GATEWAY_NOT_FOUND" });
    await expect(client.issueIndexingToken(urlOf(2))).rejects.toMatchObject({ code: "GATEWAY_FORBIDDEN" });
  });

  it("for a license that the page never had is recorded as a protest", async () => {
    const { buyToken, account } = openModelWorld();
    await expect(buyToken(urlOf(1), 2_000, { licenseCuid: "lic-9" })).rejects.toThrow();
    await expect(buyToken("https://one.example/99")).rejects.toThrow();
    expect(account.protests).toHaveLength(2);
  });

  it("tells the real client when it expires", async () => {
    const { client } = openModelWorld({ traits: { ...HONEST, tokenLifeMs: 10_000 } });
    expect((await client.issueIndexingToken(urlOf(1))).expiresAt).toBe(START_AT + 10_000);
  });
});

describe("content", () => {
  it("is served once for a token and charged with it", async () => {
    const { buyToken, fetch, account, time } = openModelWorld();
    const token = await buyToken(urlOf(1));
    time.now += 5;
    const answer = await fetch(urlOf(1), token);
    const [charge] = account.charges;
    expect(charge).toMatchObject({ token, url: urlOf(1), licenseCuid: "lic-0", micros: 2_000, at: START_AT + 5 });
    expect(answer).toMatchObject({
      kind: "content",
      content: { body: charge?.body, rate: { price: { micros: 2_000, currency: "USD" } } },
    });
    expect((await fetch(urlOf(1), token)).kind).toBe("unauthorized");
    expect(account.charges).toHaveLength(1);
    expect(account.tokens[0]?.usedAt).toBe(START_AT + 5);
    expect(account.contentRequests.map(({ status }) => status)).toEqual([200, 401]);
    expect(account.protests).toEqual([]);
  });

  it("is another text for each page, each version and each format", async () => {
    const { buyToken, client, gateway, account } = openModelWorld();
    const buy = async (url: string, format: "markdown" | "html") =>
      client.fetchContent({ url, token: await buyToken(url, 2_000, { format }), format });
    await buy(urlOf(1), "markdown");
    await buy(urlOf(2), "markdown");
    await buy(urlOf(1), "html");
    gateway.touchPage(urlOf(1), DAY);
    await buy(urlOf(1), "markdown");
    expect(new Set(account.charges.map(({ body }) => body)).size).toBe(4);
  });

  it("is refused when the price has risen above the cap: nothing is charged, and the token stays valid for a lower price", async () => {
    const { buyToken, fetch, gateway, account } = openModelWorld();
    const token = await buyToken(urlOf(1));
    gateway.setPrice(urlOf(1), 0, 2_001, START_AT);
    expect(await fetch(urlOf(1), token)).toMatchObject({ kind: "refused", status: 400 });
    expect(account.charges).toEqual([]);
    expect(account.tokens[0]?.usedAt).toBeNull();
    gateway.setPrice(urlOf(1), 0, 1_500, START_AT);
    expect(await fetch(urlOf(1), token)).toMatchObject({ content: { rate: { price: { micros: 1_500 } } } });
    expect(account.charges[0]?.micros).toBe(1_500);
  });

  it("is served until the token's last millisecond and no longer", async () => {
    const { buyToken, fetch, time, account } = openModelWorld();
    const [first, second] = [await buyToken(urlOf(1)), await buyToken(urlOf(1))];
    time.now += 59_999;
    expect((await fetch(urlOf(1), first)).kind).toBe("content");
    time.now += 1;
    expect((await fetch(urlOf(1), second)).kind).toBe("unauthorized");
    expect(account.charges).toHaveLength(1);
    expect(account.protests).toEqual([]);
  });

  it("is refused when the page is removed or forbidden, but a used token is reported first", async () => {
    const { buyToken, fetch, gateway, account } = openModelWorld();
    const [used, unused, forbidden] = [
      await buyToken(urlOf(1)),
      await buyToken(urlOf(1)),
      await buyToken(urlOf(2)),
    ] as const;
    await fetch(urlOf(1), used);
    gateway.removePage(urlOf(1));
    gateway.forbidPage(urlOf(2));
    expect((await fetch(urlOf(1), used)).kind).toBe("unauthorized");
    expect(await fetch(urlOf(1), unused)).toMatchObject({ kind: "refused", status: 404 });
    expect(await fetch(urlOf(2), forbidden)).toMatchObject({ kind: "refused", status: 403 });
    expect(account.charges).toHaveLength(1);
  });

  it("for an indexing token has no rate and no charge, and uses up the token", async () => {
    const { client, fetch, account } = openModelWorld();
    const { token } = await client.issueIndexingToken(urlOf(1));
    expect(await fetch(urlOf(1), token)).toMatchObject({ kind: "content", content: { rate: null } });
    expect((await fetch(urlOf(1), token)).kind).toBe("unauthorized");
    expect(account.charges).toEqual([]);
  });

  it("comes with metadata or without", async () => {
    for (const chance of [0.1, 0.9]) {
      const { buyToken, fetch } = openModelWorld({ random: () => chance });
      const answer = await fetch(urlOf(1), await buyToken(urlOf(1)));
      expect(answer).toMatchObject({ content: { metadata: { title: chance < 0.5 ? null : expect.any(String) } } });
    }
  });

  it("is charged above the cap where the world says so, and shows it", async () => {
    const { buyToken, fetch, gateway, account } = openModelWorld();
    gateway.overcharge(urlOf(1), 300);
    const answer = await fetch(urlOf(1), await buyToken(urlOf(1), 2_100));
    expect(answer).toMatchObject({ content: { rate: { price: { micros: 2_400 } } } });
    expect(account.charges[0]?.micros).toBe(2_400);
  });

  it("hides its rate where the world says so, and is charged at it", async () => {
    const { buyToken, fetch, gateway, account } = openModelWorld({ omitsRate: true });
    gateway.overcharge(urlOf(1), 300);
    expect(await fetch(urlOf(1), await buyToken(urlOf(1)))).toMatchObject({ kind: "content", content: { rate: null } });
    expect(account.charges[0]?.micros).toBe(2_000);
  });
});

describe("a report", () => {
  it.each(["array", "receipts"] as const)("is answered with a receipt for each use, as %s", async (reportShape) => {
    const { report, gateway, account } = openModelWorld({ reportShape });
    gateway.setPrice(urlOf(1), 0, 2_500, START_AT);
    const custom = { url: urlOf(2), timesUsed: 1, licenseType: "CUSTOM_LICENSE", licenseCuid: "lic-c" };
    expect(await report("r-1", [useOf(urlOf(1), 3), custom])).toMatchObject({
      kind: "accepted",
      unreadable: 0,
      receipts: [
        { url: urlOf(1), perUnitPriceMicros: 2_500, totalUsePriceMicros: 7_500, currency: "USD", licenseCuid: "lic-0" },
        { url: urlOf(2), perUnitPriceMicros: 7_000, totalUsePriceMicros: 7_000, licenseType: "CUSTOM_LICENSE" },
      ],
    });
    expect(account.reports).toMatchObject([
      { idempotencyId: "r-1", outcome: "accepted", at: START_AT, uses: [{ times: 3 }, { licenseCuid: "lic-c" }] },
    ]);
    expect(account.protests).toEqual([]);
  });

  it("that is repeated has the same receipts again, though the price has risen", async () => {
    const { report, gateway, account } = openModelWorld();
    const first = await report("r-1", [useOf(urlOf(1))]);
    gateway.setPrice(urlOf(1), 0, 9_000, START_AT);
    expect(await report("r-1", [useOf(urlOf(1))])).toEqual(first);
    expect(account.reports.map(({ outcome }) => outcome)).toEqual(["accepted", "repeated"]);
    expect(account.reports[1]?.body).toBe(account.reports[0]?.body);
    expect(account.protests).toEqual([]);
  });

  it("with an old id and another body is refused and recorded as a protest", async () => {
    const { report, account } = openModelWorld();
    await report("r-1", [useOf(urlOf(1))]);
    expect(await report("r-1", [useOf(urlOf(1), 2)])).toMatchObject({ kind: "rejected", status: 409 });
    expect(account.reports.map(({ outcome }) => outcome)).toEqual(["accepted", "rejected"]);
    expect(account.protests).toHaveLength(1);
  });

  it("that names a refused page is refused as a whole, without a protest, and does not use up its id", async () => {
    const { report, gateway, account } = openModelWorld();
    gateway.refuseReportsOf(urlOf(2));
    const refused = await report("r-1", [useOf(urlOf(1)), useOf(urlOf(2))]);
    expect(refused).toMatchObject({ kind: "rejected", status: 400 });
    expect((await report("r-1", [useOf(urlOf(1))])).kind).toBe("accepted");
    expect(account.reports.map(({ outcome }) => outcome)).toEqual(["rejected", "accepted"]);
    expect(account.protests).toEqual([]);
  });

  it("of a removed page is accepted at its last price", async () => {
    const { report, gateway } = openModelWorld();
    gateway.removePage(urlOf(1));
    expect(await report("r-1", [useOf(urlOf(1))])).toMatchObject({ receipts: [{ perUnitPriceMicros: 2_000 }] });
  });
});

describe("the webhook history", () => {
  it("is empty", async () => {
    const { client, account } = openModelWorld();
    const page = await client.listHistory({ nextToken: null, size: 25, daysAgo: 3 });
    expect(page).toEqual({ items: [], nextToken: null });
    expect(account.protests).toEqual([]);
  });
});

describe("the service's name", () => {
  it("is in the headers and in the report's path", async () => {
    const { client, buyToken, fetch, report, requests, account } = openModelWorld({ service: "Tollbit" });
    await client.quotePage(urlOf(1));
    expect((await fetch(urlOf(1), await buyToken(urlOf(1)))).kind).toBe("content");
    expect((await report("r-1", [useOf(urlOf(1))])).kind).toBe("accepted");
    expect(requests[0]?.headers).toContain("TollbitKey");
    expect(requests.at(-1)?.path).toBe("/tollbit/dev/v2/transactions/selfReport");
    expect(requests.filter(({ headers }) => headers.includes(API_KEY))).toHaveLength(3);
    expect(account.protests).toEqual([]);
  });
});
