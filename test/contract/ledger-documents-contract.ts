import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { buyPages, createContent, NOON, ON_DEMAND, reservePages, startPages } from "../doubles/ledger-shop.ts";
import { openAcquire, reserve, start, toSettlement } from "../doubles/ledger-steps.ts";

const DAY_MS = 86_400_000;
const ALL = { host: null, sinceAt: null, afterPageId: 0, afterPurchaseId: 0, limit: 10 } as const;

/** What every ledger promises of the documents that it stores. */
export function describeDocuments(open: () => Promise<Ledger>): void {
  describe("readDocuments", () => {
    it("reads the stored pages in parts, in a stable order, each page once", async () => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/a", "/b", "/c", "/d", "/e"] });
      const urls: string[] = [];
      for (let afterPageId = 0; ; ) {
        const piece = await ledger.readDocuments({ host: null, sinceAt: null, afterPageId, limit: 2 });
        if (piece.length === 0) {
          break;
        }
        urls.push(...piece.map(({ url }) => url));
        afterPageId = piece.at(-1)?.pageId ?? 0;
      }
      expect(urls).toEqual(["/a", "/b", "/c", "/d", "/e"].map((path) => `https://news.example${path}`));
    });

    it.each([
      ["prose", "“Ünïcode” — 🦊\nline\t\\"],
      ["a NUL and half a character", "a\0b\ud800"],
      ["nothing", ""],
    ])("stores the same text for its bytes as for the text: %s", async (_name, text) => {
      const ledger = await open();
      await reserve(ledger, ["/a", "/b"]);
      const { leaseId, purchases } = await openAcquire(ledger);
      for (const [index, { purchaseId, url }] of purchases.entries()) {
        await start(ledger, leaseId, purchaseId);
        const content = { ...createContent(url), markdown: index === 0 ? text : Buffer.from(text) };
        await ledger.settlePurchase(toSettlement(purchaseId, { content }));
      }
      const stored = await Promise.all(purchases.map(({ purchaseId }) => ledger.readDocument(purchaseId)));
      const whole = Buffer.from(text).toString();
      expect(stored.map((document) => document?.markdown)).toEqual([whole, whole]);
    });

    it("returns the newest version, with its metadata and its content", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", priceMicros: 10_000 });
      await buyPages(ledger, { runId: "run_2", priceMicros: 7_000, at: NOON + DAY_MS });
      const [document] = await ledger.readDocuments({ host: null, sinceAt: null, afterPageId: 0, limit: 10 });
      expect(document).toMatchObject({
        ...createContent("https://news.example/a"),
        runId: "run_2",
        intent: "content",
        license: ON_DEMAND,
        priceMicros: 7_000,
        currency: "USD",
        boughtAt: NOON + DAY_MS,
      });
    });

    it("returns only the pages of one host, and nothing of an unknown host", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1" });
      await buyPages(ledger, { runId: "run_2", host: "blog.example" });
      const read = async (host: string) =>
        (await ledger.readDocuments({ host, sinceAt: null, afterPageId: 0, limit: 10 })).map(({ url }) => url);
      expect(await read("blog.example")).toEqual(["https://blog.example/a"]);
      expect(await read("other.example")).toEqual([]);
    });

    it("returns Markdown that was derived later, or the reason why there is none", async () => {
      const ledger = await open();
      const [first, second] = await buyPages(ledger, { paths: ["/a", "/b"], format: "both" });
      await ledger.recordMarkdown({ purchaseId: first ?? 0, markdown: "# a", failure: null });
      await ledger.recordMarkdown({ purchaseId: second ?? 0, markdown: null, failure: "timed_out" });
      const documents = await ledger.readDocuments({ host: null, sinceAt: null, afterPageId: 0, limit: 10 });
      expect(documents.map(({ markdown, conversionFailure }) => [markdown, conversionFailure])).toEqual([
        ["# a", null],
        [null, "timed_out"],
      ]);
    });

    it("has no price or license for what was only indexed", async () => {
      const ledger = await open();
      await buyPages(ledger, { intent: "indexing" });
      const [document] = await ledger.readDocuments({ host: null, sinceAt: null, afterPageId: 0, limit: 10 });
      expect(document).toMatchObject({ intent: "indexing", license: null, priceMicros: null, currency: null });
    });
  });

  it("readDocuments returns only what was stored since an instant", async () => {
    const ledger = await open();
    await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b"] });
    await buyPages(ledger, { runId: "run_2", paths: ["/b"], at: NOON + DAY_MS });
    const since = async (sinceAt: number) =>
      (await ledger.readDocuments({ ...ALL, sinceAt })).map(({ url }) => url.slice(-2));
    expect(await since(NOON)).toEqual(["/a", "/b"]);
    expect(await since(NOON + 1)).toEqual(["/b"]);
    expect(await since(NOON + DAY_MS + 1)).toEqual([]);
  });

  describe("readRunDocuments", () => {
    it("returns what the run bought, also where another run bought a newer version", async () => {
      const ledger = await open();
      const [bought] = await buyPages(ledger, { runId: "run_1", priceMicros: 10_000 });
      await buyPages(ledger, { runId: "run_2", priceMicros: 7_000, at: NOON + DAY_MS });
      expect(await ledger.readRunDocuments({ ...ALL, runId: "run_1" })).toMatchObject([
        {
          ...createContent("https://news.example/a"),
          purchaseId: bought,
          runId: "run_1",
          license: ON_DEMAND,
          priceMicros: 10_000,
          boughtAt: NOON,
        },
      ]);
      expect(await ledger.readRunDocuments({ ...ALL, runId: "run_2" })).toMatchObject([{ boughtAt: NOON + DAY_MS }]);
    });

    it("reads in parts, in the order of the purchases, and leaves out what brought nothing", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b", "/c"] });
      await startPages(ledger, { runId: "run_2", paths: ["/d"] });
      const [first, ...rest] = await ledger.readRunDocuments({ ...ALL, runId: "run_1" });
      const after = { ...ALL, runId: "run_1", afterPurchaseId: first?.purchaseId ?? 0 };
      expect(await ledger.readRunDocuments({ ...after, limit: 1 })).toEqual(rest.slice(0, 1));
      expect(await ledger.readRunDocuments(after)).toEqual(rest);
      expect(await ledger.readRunDocuments({ ...ALL, runId: "run_2" })).toEqual([]);
    });

    it("returns only documents of a site and since an instant", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1" });
      const read = async (filter: { host?: string; sinceAt?: number }) =>
        (await ledger.readRunDocuments({ ...ALL, ...filter, runId: "run_1" })).length;
      expect(await read({ host: "news.example", sinceAt: NOON })).toBe(1);
      expect(await read({ host: "blog.example" })).toBe(0);
      expect(await read({ sinceAt: NOON + 1 })).toBe(0);
    });

    it("throws RUN_NOT_FOUND for an unknown run", async () => {
      const ledger = await open();
      await expect(ledger.readRunDocuments({ ...ALL, runId: "run_9" })).rejects.toMatchObject({
        code: "RUN_NOT_FOUND",
        details: { runId: "run_9" },
      });
    });
  });

  it("readDocument returns what a purchase bought, and null where nothing is stored", async () => {
    const ledger = await open();
    const [bought = 0] = await buyPages(ledger, { runId: "run_1" });
    const [started] = await startPages(ledger, { runId: "run_2", paths: ["/b"] });
    expect(await ledger.readDocument(bought)).toEqual((await ledger.readRunDocuments({ ...ALL, runId: "run_1" }))[0]);
    expect(await ledger.readDocument(started?.purchaseId ?? 0)).toBeNull();
    expect(await ledger.readDocument(99)).toBeNull();
  });

  describe("findHeld", () => {
    it("reads the newest version of each page that has one, as the reports read it, with what its rights depend on", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b"], format: "both" });
      await buyPages(ledger, { runId: "run_2", paths: ["/a"], at: NOON + DAY_MS });
      await buyPages(ledger, { runId: "run_3", paths: ["/c"], intent: "indexing" });
      await startPages(ledger, { runId: "run_4", paths: ["/d"] });
      const urls = ["/c", "/a", "/d", "/x", "/b"].map((path) => `https://news.example${path}`);
      const held = await ledger.findHeld({ urls });
      const stored = await ledger.readDocuments({ ...ALL, host: "news.example" });
      expect(held.map(({ document }) => document)).toEqual(
        ["/c", "/a", "/b"].map((path) => {
          const { pageId: _pageId, ...document } = stored.find(({ url }) =>
            url.endsWith(path),
          ) as (typeof stored)[number];
          return document;
        }),
      );
      expect(held.map(({ purgedAt }) => purgedAt)).toEqual([null, null, null]);
    });
  });

  describe("what came of the pages of a fetch", () => {
    const urls = ["/a", "/b", "/c"].map((path) => `https://news.example${path}`);

    it("findUnderWay names the run that is buying a page, and no page that is bought", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", paths: ["/a"] });
      await startPages(ledger, { runId: "run_2", paths: ["/b"] });
      expect(await ledger.findUnderWay({ urls })).toEqual([{ url: urls[1], runId: "run_2" }]);
    });

    it("readFetched returns the purchase or the denial of one run, with the doubt that a page waits for", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", paths: ["/a"] });
      const [started] = await startPages(ledger, { runId: "run_2", paths: ["/b"] });
      const purchaseId = started?.purchaseId ?? 0;
      await ledger.holdInDoubt({ purchaseId, reason: "token_spent", detail: "lost", now: NOON });
      await reservePages(ledger, { runId: "run_3", paths: ["/b"] });
      expect(await ledger.readFetched({ runId: "run_1", urls })).toMatchObject([
        { kind: "purchase", url: urls[0], state: "settled", quotedMicros: 10_000, chargedMicros: 10_000 },
      ]);
      expect(await ledger.readFetched({ runId: "run_2", urls })).toMatchObject([
        { kind: "purchase", url: urls[1], state: "in_doubt", reason: "token_spent", chargedMicros: null },
      ]);
      expect(await ledger.readFetched({ runId: "run_3", urls })).toMatchObject([
        {
          kind: "denial",
          url: urls[1],
          reason: "in_doubt",
          doubt: { purchaseId, quotedMicros: 10_000, currency: "USD" },
        },
      ]);
    });
  });
}
