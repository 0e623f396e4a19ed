import { describe, expect, it } from "vitest";
import { openModelWorld, urlOf } from "./model-world.ts";
import { HONEST, HONEST_SITE, type SiteTraits } from "./traits.ts";

const traitsWith = (traits: Partial<SiteTraits>) => ({
  traits: { ...HONEST, sites: { "one.example": { ...HONEST_SITE, ...traits } } },
});

describe("an unfriendly gateway", () => {
  it("begins each page of a catalog with the end of the one before", async () => {
    const { listUrls } = openModelWorld(traitsWith({ listsAgain: true }));
    const first = await listUrls(null);
    expect(first.urls).toEqual([urlOf(5), urlOf(4)]);
    expect((await listUrls(first.next)).urls).toEqual([urlOf(5), urlOf(4), urlOf(3), urlOf(2)]);
  });

  it("spells a page in another way each time, and accepts it only under the spelling of its token", async () => {
    const { listUrls, buyToken, fetch, account } = openModelWorld({
      ...traitsWith({ respells: { host: true, path: false } }),
      random: () => 0,
    });
    const [spelling = ""] = (await listUrls(null)).urls;
    expect(spelling).toBe(urlOf(5).replace("one.example", "ONE.EXAMPLE"));
    const token = await buyToken(spelling);
    expect(await fetch(urlOf(5), token)).toMatchObject({ kind: "refused", status: 404 });
    expect((await fetch(spelling, token)).kind).toBe("content");
    expect(account.charges).toMatchObject([{ url: urlOf(5) }]);
  });

  it("does not list the rates of some pages until it is fixed", async () => {
    const { client, gateway } = openModelWorld(traitsWith({ hidesRatesOf: [urlOf(1)] }));
    await expect(client.quotePage(urlOf(1))).rejects.toMatchObject({ code: "GATEWAY_REFUSED" });
    await expect(client.quoteBatch([urlOf(2), urlOf(1)])).rejects.toMatchObject({ code: "GATEWAY_REFUSED" });
    gateway.fix();
    expect((await client.quoteBatch([urlOf(2), urlOf(1)])).size).toBe(2);
  });
});
