import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { buyPages, NOON } from "../doubles/ledger-shop.ts";
import { createUse, freeze, leaseFlusher, recordUses, settle } from "../doubles/usage-outbox-driver.ts";

const LIMITS = { limit: 9, usesLimit: 9 };
const urlOf = (path: string) => `https://news.example${path}`;
const read = (ledger: Ledger, path: string) => ledger.readEvidence({ ...LIMITS, url: urlOf(path) });

/** What every ledger proves of what was bought. */
export function describeEvidence(open: () => Promise<Ledger>): void {
  describe("evidence", () => {
    it("says of each version what was bought, under which terms, and what was paid, the newest first", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", paths: ["/a"], priceMicros: 10_000 });
      await buyPages(ledger, { runId: "run_2", paths: ["/a"], priceMicros: 20_000, at: NOON + 1_000 });
      const { versions } = await read(ledger, "/a");
      expect(versions).toMatchObject([
        { runId: "run_2", isNewest: true, quotedMicros: 20_000, tokenCapMicros: 20_000, chargedMicros: 20_000 },
        { runId: "run_1", isNewest: false, quotedMicros: 10_000, tokenCapMicros: 10_000, chargedMicros: 10_000 },
      ]);
      expect(versions[0]).toMatchObject({
        url: urlOf("/a"),
        host: "news.example",
        hash: expect.stringMatching(/^sha256:/),
        license: { licenseType: "ON_DEMAND_LICENSE" },
        rule: expect.any(String),
        policyName: "standard",
        currency: "USD",
        purged: null,
      });
    });

    it("finds the fetch among many, and later uses with their reports and receipts", async () => {
      const ledger = await open();
      const paths = Array.from({ length: 23 }, (_, index) => `/p${index}`);
      await buyPages(ledger, { runId: "run_1", paths: paths.slice(0, 11) });
      await recordUses(ledger, [createUse("/p3", { times: 2 }), createUse("/p3", { key: "second" })]);
      await buyPages(ledger, { runId: "run_2", paths: paths.slice(11) });
      const fence = await leaseFlusher(ledger);
      await settle(ledger, await freeze(ledger, fence, { maxEntries: 100 }));
      for (const path of paths) {
        const { versions } = await read(ledger, path);
        const [fetched] = versions[0]?.uses ?? [];
        expect(fetched).toMatchObject({ kind: "fetch", times: 1, state: "settled" });
        expect(fetched?.receipts).toMatchObject([{ currency: "USD", licenseType: "ON_DEMAND_LICENSE", error: null }]);
      }
      const [version] = (await read(ledger, "/p3")).versions;
      expect(version?.usesTotal).toBe(2);
      expect(version?.uses.map(({ kind, times, key }) => ({ kind, times, key }))).toEqual([
        { kind: "fetch", times: 1, key: null },
        { kind: "use", times: 2, key: null },
        { kind: "use", times: 1, key: "second" },
      ]);
      expect(version?.uses.every(({ idempotencyId, batchId }) => idempotencyId !== null && batchId !== null)).toBe(
        true,
      );
      expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
    });

    it("stays when the content is purged, and says when, why and by whom", async () => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/a"] });
      const [before] = (await read(ledger, "/a")).versions;
      const named = { urls: [urlOf("/a")], reason: "letter of 3 May" };
      const who = { by: "anna", reason: "letter of 3 May" };
      await ledger.purge({ policies: {}, hosts: null, named, who, now: NOON + 9, dryRun: false, limit: 9 });
      const { versions, acts } = await read(ledger, "/a");
      expect(versions).toEqual([{ ...before, purged: { purgedAt: NOON + 9, why: "named: letter of 3 May", ...who } }]);
      expect(acts).toMatchObject([{ kind: "content_purged", ...who }]);
      const hash = before?.hash.replace("sha256:", "") ?? "";
      expect((await ledger.readEvidence({ ...LIMITS, hash })).versions).toEqual(versions);
    });

    it("is found by a hash, whether it is in the index or not yet, and only by the whole hash", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b", "/c"] });
      const hash = (await read(ledger, "/b")).versions[0]?.hash.replace("sha256:", "") ?? "";
      const urls = async () =>
        (await ledger.readEvidence({ ...LIMITS, hash })).versions.map(({ url, runId }) => `${runId} ${url}`);
      const found = [`run_1 ${urlOf("/b")}`];
      expect(await urls()).toEqual(found);
      expect(await ledger.indexHashes({ limit: 2 })).toBe(2);
      expect(await urls()).toEqual(found);
      expect(await ledger.indexHashes({ limit: 2 })).toBe(1);
      expect(await ledger.indexHashes({ limit: 2 })).toBe(0);
      expect(await urls()).toEqual(found);
      await buyPages(ledger, { runId: "run_2", paths: ["/b"], at: NOON + 1 });
      expect(await urls()).toEqual([`run_2 ${urlOf("/b")}`, ...found]);
      expect(await ledger.indexHashes({ limit: 9 })).toBe(1);
      expect(await urls()).toEqual([`run_2 ${urlOf("/b")}`, ...found]);
      const other = `${hash.slice(0, 63)}${hash.endsWith("0") ? "1" : "0"}`;
      expect((await ledger.readEvidence({ ...LIMITS, hash: other })).versions).toEqual([]);
      expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
    });

    it("is empty of a page that was never bought", async () => {
      const ledger = await open();
      expect(await read(ledger, "/never")).toEqual({ versions: [], acts: [] });
    });
  });
}
