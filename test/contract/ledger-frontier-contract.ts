import { describe, expect, it } from "vitest";
import { NOON } from "../doubles/ledger-shop.ts";
import {
  decideBatch,
  HOST,
  leaseMany,
  leaseOne,
  openAcquire,
  RUN,
  reserve,
  start,
  toEntry,
  toSettlement,
  toSpec,
  walkPage,
} from "../doubles/ledger-steps.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const DAY_MS = 86_400_000;

export function describeFrontier(open: OpenLedger): void {
  describe("the frontier", () => {
    it("counts a page once, however often the catalog lists it", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      const first = await walkPage(ledger, {
        entries: [toEntry("/a"), toEntry("/b"), toEntry("/a")],
        nextPageToken: "2",
      });
      expect(first).toMatchObject({ stale: false, seen: 2, repeated: 1, candidates: 2, walkEnded: false });
      const second = await walkPage(ledger, { entries: [toEntry("/b"), toEntry("/c")] });
      expect(second).toMatchObject({ seen: 1, repeated: 1, candidates: 1, walkEnded: true });
      expect((await ledger.readRun(RUN)).pages.seen).toBe(3);
    });

    it("records a catalog page once for one lease", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      const { leaseId } = await leaseOne(ledger, "walk");
      const walk = (await ledger.openWalk(leaseId))?.walk;
      const record = {
        leaseId,
        now: NOON,
        entries: [toEntry("/a")],
        rejected: [],
        refresh: { when: "modified", maxAgeMs: null },
        next: { ...(walk as NonNullable<typeof walk>), pageToken: "2", pagesRead: 1 },
        quoteBatchSize: 10,
        intent: "content",
      } as const;
      expect(await ledger.recordCatalogPage(record)).toMatchObject({ stale: false, seen: 1 });
      expect(await ledger.recordCatalogPage(record)).toMatchObject({ stale: true, seen: 0 });
      const next = await leaseOne(ledger, "walk");
      expect(await ledger.openWalk(next.leaseId)).toMatchObject({
        runId: RUN,
        host: HOST,
        attempt: 1,
        walk: { pageToken: "2", pagesRead: 1 },
      });
    });

    it("ends a walk whose page token is repeated, with a warning", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      expect(await walkPage(ledger, { entries: [toEntry("/a")], nextPageToken: "t1" })).toMatchObject({
        looped: false,
      });
      expect(await walkPage(ledger, { entries: [toEntry("/b")], nextPageToken: "t2" })).toMatchObject({
        looped: false,
      });
      expect(await walkPage(ledger, { entries: [toEntry("/c")], nextPageToken: "t1" })).toMatchObject({
        looped: true,
        walkEnded: true,
      });
      const [site] = (await ledger.readRun(RUN)).sites;
      expect(site).toMatchObject({ walkEnded: true, walkWarning: expect.stringContaining("token") });
      expect((await leaseMany(ledger)).map(({ stage }) => stage)).toEqual(["quote"]);
    });

    it("fills quote batches across catalog pages and closes the last when the walk ends", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      await walkPage(ledger, {
        entries: ["/1", "/2", "/3"].map((path) => toEntry(path)),
        nextPageToken: "2",
        quoteBatchSize: 2,
      });
      const [first] = await leaseMany(ledger, { limit: 1 });
      expect((await ledger.openQuoteBatch(first?.leaseId ?? ""))?.pages.map(({ url }) => url)).toEqual([
        `https://${HOST}/1`,
        `https://${HOST}/2`,
      ]);
      await walkPage(ledger, { entries: ["/4", "/5"].map((path) => toEntry(path)), quoteBatchSize: 2 });
      const rest = await leaseMany(ledger);
      const urls = await Promise.all(
        rest.map(async ({ leaseId }) => (await ledger.openQuoteBatch(leaseId))?.pages.map(({ url }) => url.slice(-1))),
      );
      expect(urls).toEqual([["3", "4"], ["5"]]);
    });

    const toHttp = (path: string) => toEntry(path, { url: `http://${HOST}${path}`, wireUrl: `http://${HOST}${path}` });

    it("names a page that one page of its catalog has under both schemes", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      const entries = [toEntry("/a"), toHttp("/b"), toHttp("/a")];
      expect(await walkPage(ledger, { entries })).toMatchObject({ seen: 3, otherScheme: `http://${HOST}/a` });
    });

    it("names a page that it knows under the other scheme from before", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      const nextPageToken = "next";
      const walk = async (entries: Parameters<typeof walkPage>[1]["entries"], token: string | null) =>
        (await walkPage(ledger, { entries, nextPageToken: token })).otherScheme;
      expect(await walk([toEntry("/a"), toEntry("/b")], nextPageToken)).toBeNull();
      expect(await walk([toHttp("/c")], `${nextPageToken}2`)).toBeNull();
      expect(await walk([toHttp("/d"), toHttp("/b"), toHttp("/a")], null)).toBe(`http://${HOST}/b`);
    });

    it("names no page under the other scheme of a host whose name begins alike", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      const url = `http://${HOST}.example/a`;
      await walkPage(ledger, { entries: [toEntry("/z", { url, wireUrl: url })], nextPageToken: "2" });
      expect(await walkPage(ledger, { entries: [toEntry("/a")] })).toMatchObject({ otherScheme: null });
    });

    it("leaves out what the globs exclude, and keeps examples of invalid entries", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      const rejected = Array.from({ length: 20 }, (_, n) => ({ raw: `ftp://x/${n}`, reason: "not http" }));
      const recorded = await walkPage(ledger, { entries: [toEntry("/a", { excluded: true })], rejected });
      expect(recorded).toMatchObject({ seen: 1, excluded: 1, candidates: 0 });
      expect((await ledger.readRun(RUN)).sites[0]).toMatchObject({ excluded: 1, rejected: 20 });
      expect(await leaseMany(ledger)).toEqual([]);
    });

    it("keeps the wire spelling of a page beside its canonical one", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      await walkPage(ledger, { entries: [toEntry("/a", { wireUrl: `https://${HOST}:443/a` })] });
      const { leaseId } = await leaseOne(ledger, "quote");
      expect((await ledger.openQuoteBatch(leaseId))?.pages).toMatchObject([
        { url: `https://${HOST}/a`, wireUrl: `https://${HOST}:443/a` },
      ]);
    });

    it.each([
      {
        case: "the same lastMod",
        refresh: { when: "modified", maxAgeMs: null },
        lastModAt: NOON,
        now: NOON,
        candidates: 0,
      },
      {
        case: "a newer lastMod",
        refresh: { when: "modified", maxAgeMs: null },
        lastModAt: NOON + 1,
        now: NOON,
        candidates: 1,
      },
      { case: "no lastMod", refresh: { when: "modified", maxAgeMs: null }, lastModAt: null, now: NOON, candidates: 0 },
      {
        case: "refresh: always",
        refresh: { when: "always", maxAgeMs: null },
        lastModAt: NOON,
        now: NOON,
        candidates: 1,
      },
      {
        case: "refresh: never",
        refresh: { when: "never", maxAgeMs: null },
        lastModAt: NOON + 1,
        now: NOON,
        candidates: 0,
      },
      {
        case: "not quite maxAge",
        refresh: { when: "modified", maxAgeMs: DAY_MS },
        lastModAt: NOON,
        now: NOON + DAY_MS - 1,
        candidates: 0,
      },
      {
        case: "maxAge",
        refresh: { when: "modified", maxAgeMs: DAY_MS },
        lastModAt: NOON,
        now: NOON + DAY_MS,
        candidates: 1,
      },
    ] as const)(
      "decides whether to look at a stored page again: $case",
      async ({ refresh, lastModAt, now, candidates }) => {
        const ledger = await open();
        await ledger.createRun(toSpec());
        await walkPage(ledger, { entries: [toEntry("/a", { lastMod: String(NOON), lastModAt: NOON })] });
        await holdAll(ledger);
        await ledger.createRun(toSpec({ runId: "run_2", startedAt: now }));
        const lastMod = lastModAt === null ? null : String(lastModAt);
        const recorded = await walkPage(ledger, {
          runId: "run_2",
          entries: [toEntry("/a", { lastMod, lastModAt })],
          refresh,
          now,
        });
        expect(recorded).toMatchObject({ seen: 1, candidates, unchanged: 1 - candidates });
      },
    );

    it("does not treat a page that was only indexed as bought", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a"], { intent: "indexing", rate: null });
      await holdAll(ledger, { decided: true });
      for (const [runId, intent, candidates] of [
        ["run_2", "indexing", 0],
        ["run_3", "content", 1],
      ] as const) {
        await ledger.createRun(toSpec({ runId }));
        expect(await walkPage(ledger, { runId, intent, entries: [toEntry("/a")] }), intent).toMatchObject({
          candidates,
        });
      }
    });

    const PART = `https://${HOST}/premium`;

    it.each(["/", "/news/1", "/premium-2", "/premium%20x", "/premium0", "/premiumz/1", "/premiu", "/x?premium/"])(
      "knows a page of another part than a forbidden one: %s",
      async (other) => {
        const ledger = await open();
        await ledger.createRun(toSpec());
        const entries = ["/premium", "/premium/1", "/premium?page=2", other].map((path) => toEntry(path));
        await walkPage(ledger, { entries, nextPageToken: "2" });
        expect(await ledger.findElsewhere({ runId: RUN, host: HOST, part: PART })).toEqual({
          otherPart: `https://${HOST}${other}`,
          stored: null,
          walkEnded: false,
        });
      },
    );

    it("knows no other part where there is none, on a site whose name begins like another one's", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      const entries = ["/premium", "/premium/1", "/premium?page=2"].map((path) => toEntry(path));
      await walkPage(ledger, { entries });
      const query = { runId: RUN, host: "news.exam", part: "https://news.exam/premium" };
      expect(await ledger.findElsewhere({ ...query, host: HOST })).toMatchObject({ otherPart: null, stored: null });
      expect(await ledger.findElsewhere({ runId: RUN, host: HOST, part: PART })).toEqual({
        otherPart: null,
        stored: null,
        walkEnded: true,
      });
    });

    it("does not treat the walk as ended where a limit stopped the site", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      await walkPage(ledger, { entries: [toEntry("/premium/1")], nextPageToken: "2" });
      await ledger.stopSite({ runId: RUN, host: HOST, stop: "max_pages", detail: "1 page", now: NOON });
      expect(await ledger.readStops(RUN)).toEqual([{ host: HOST, stop: "max_pages", detail: "1 page" }]);
      expect(await ledger.findElsewhere({ runId: RUN, host: HOST, part: PART })).toMatchObject({ walkEnded: false });
      // The page of the batch that is gone was not decided with it.
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ violations: [] });
    });

    it("knows a page that was bought before", async () => {
      const ledger = await open();
      await reserve(ledger, ["/premium/1"]);
      await holdAll(ledger, { decided: true });
      expect(await ledger.findElsewhere({ runId: RUN, host: HOST, part: PART })).toMatchObject({
        otherPart: null,
        stored: `${PART}/1`,
      });
    });
  });
}

/** Buys what waits (or is reserved) and ends the run. */
async function holdAll(ledger: Awaited<ReturnType<OpenLedger>>, { decided = false } = {}): Promise<void> {
  if (!decided) {
    await decideBatch(ledger);
  }
  const { leaseId, purchases } = await openAcquire(ledger);
  for (const { purchaseId } of purchases) {
    await start(ledger, leaseId, purchaseId);
    await ledger.settlePurchase(toSettlement(purchaseId));
  }
  await ledger.finishAcquireBatch(leaseId);
  await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON });
}
