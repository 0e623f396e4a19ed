import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { buyPages, createContent, NOON, ON_DEMAND } from "../doubles/ledger-shop.ts";

const OTHER_HOST = "shop.example";
const FULL = { ...ON_DEMAND, licenseType: "ON_DEMAND_FULL_USE_LICENSE", cuid: "cuid-full" } as const;
type Query = Parameters<Ledger["findDocuments"]>[0];

function find(ledger: Ledger, query: Partial<Query> = {}) {
  const all = { url: null, title: null, host: null, license: null, hash: null, after: null, limit: 100 };
  return ledger.findDocuments({ ...all, ...query });
}

const pathsOf = async (ledger: Ledger, query: Partial<Query>) =>
  (await find(ledger, query)).documents.map(({ url }) => url.replace("https://", ""));

/** Two sites; `/b` is bought a second time. The title of each page is its URL. */
async function fill(ledger: Ledger): Promise<void> {
  await buyPages(ledger, { runId: "run_1", paths: ["/b", "/a", "/c%20d"] });
  await buyPages(ledger, { runId: "run_2", host: OTHER_HOST, paths: ["/x"], license: FULL, at: NOON + 1 });
  await buyPages(ledger, { runId: "run_3", paths: ["/b"], at: NOON + 2 });
}

export function describeFoundDocuments(open: () => Promise<Ledger>): void {
  describe("findDocuments", () => {
    it("has the newest version of each page, the newest first", async () => {
      const ledger = await open();
      await fill(ledger);
      const { documents, looked, next } = await find(ledger);
      expect(documents.map(({ url }) => new URL(url).pathname).slice(0, 2)).toEqual(["/b", "/x"]);
      expect(documents).toHaveLength(4);
      expect({ looked, next }).toEqual({ looked: 4, next: null });
      expect(documents[1]).toEqual({
        purchaseId: 4,
        url: `https://${OTHER_HOST}/x`,
        host: OTHER_HOST,
        title: `https://${OTHER_HOST}/x`,
        license: FULL,
        priceMicros: 10_000,
        currency: "USD",
        boughtAt: NOON + 1,
        hash: `sha256:${createContent(`https://${OTHER_HOST}/x`).contentHash}`,
        policyName: "standard",
        validUntilAt: null,
        retentionMs: null,
      });
    });

    it("finds by address, title, site, licence and hash, and by all of them together", async () => {
      const ledger = await open();
      await fill(ledger);
      const found = (query: Partial<Query>) => pathsOf(ledger, query);
      expect(await found({ url: "https://news.example/" })).toEqual([
        "news.example/a",
        "news.example/b",
        "news.example/c%20d",
      ]);
      expect(await found({ url: "https://news.example/b", license: "ON_DEMAND_LICENSE" })).toEqual(["news.example/b"]);
      expect(await found({ title: "SHOP.Example/X" })).toEqual(["shop.example/x"]);
      expect(await found({ license: "cuid-full" })).toEqual(["shop.example/x"]);
      expect(await found({ host: OTHER_HOST })).toEqual(["shop.example/x"]);
      expect(await found({ host: OTHER_HOST, url: "https://news.example/" })).toEqual([]);
      expect(await found({ host: "none.example" })).toEqual([]);
      const hash = createContent("https://news.example/a").contentHash;
      expect(await found({ hash })).toEqual(["news.example/a"]);
      expect(await found({ hash, host: OTHER_HOST })).toEqual([]);
      while ((await ledger.indexHashes({ limit: 2 })) === 2) {}
      expect(await found({ hash })).toEqual(["news.example/a"]);
    });

    it.each<[string, Partial<Query>, number]>([
      ["newest", {}, 4],
      ["of a site", { host: "news.example" }, 3],
      ["by address", { url: "https://" }, 4],
    ])("page by page, each document once: %s", async (_name, query, total) => {
      const ledger = await open();
      await fill(ledger);
      const whole = await pathsOf(ledger, query);
      expect(whole).toHaveLength(total);
      for (const limit of [1, 2, 3]) {
        const seen: string[] = [];
        let after: string | null = null;
        do {
          const part: Awaited<ReturnType<typeof find>> = await find(ledger, { ...query, after, limit });
          seen.push(...part.documents.map(({ url }) => url.replace("https://", "")));
          after = part.next;
        } while (after !== null);
        expect(seen).toEqual(whole);
      }
    });
  });
}
