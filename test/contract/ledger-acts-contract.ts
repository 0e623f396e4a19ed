import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { buyPages, NOON, startPages } from "../doubles/ledger-shop.ts";
import { begin, toSpec } from "../doubles/ledger-steps.ts";

const WHO = { by: "anna", reason: "the invoice of May" };
const DAY_MS = 86_400_000;
const URL_A = "https://news.example/a";
const NOBODY_ELSE = { process: "here:9:z", now: NOON, aliveMs: 1_000, gone: [] };

/** Pages in doubt. @returns their purchases */
async function doubt(ledger: Ledger, paths: readonly string[]): Promise<readonly number[]> {
  const started = await startPages(ledger, { runId: "run_doubt", paths: [...paths] });
  for (const { purchaseId } of started) {
    await ledger.holdInDoubt({ purchaseId, reason: "token_spent", detail: "", now: NOON });
  }
  return started.map(({ purchaseId }) => purchaseId);
}

const readAll = (ledger: Ledger) => ledger.readActs({ before: null, runId: null, limit: 100 });
const expectSound = async (ledger: Ledger) =>
  expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);

/** What every ledger keeps of who decided what. */
export function describeActs(open: () => Promise<Ledger>): void {
  describe("acts", () => {
    it("say who resolved a purchase, of which page, and why, the newest first", async () => {
      const ledger = await open();
      const [first = 0, second = 0] = await doubt(ledger, ["/a", "/b"]);
      await ledger.resolvePurchase({ purchaseId: first, charged: true, who: WHO, now: NOON });
      await ledger.resolvePurchase({ purchaseId: second, charged: false, who: { by: "ben", reason: null }, now: NOON });
      const nothing = { batchId: null, itemId: null, runId: null, count: 1, at: NOON };
      const acts = [
        { ...nothing, kind: "purchase_not_charged", by: "ben", reason: null, purchaseId: second },
        { ...nothing, kind: "purchase_charged", ...WHO, purchaseId: first, url: URL_A },
      ];
      expect(await readAll(ledger)).toMatchObject(acts);
      expect((await ledger.readPage(URL_A))?.acts).toMatchObject(acts.slice(1));
      await expectSound(ledger);
    });

    it("are read in pages, from the newest on", async () => {
      const ledger = await open();
      const purchases = await doubt(ledger, ["/a", "/b", "/c"]);
      for (const purchaseId of purchases) {
        await ledger.resolvePurchase({ purchaseId, charged: true, who: WHO, now: NOON });
      }
      const [newest, next] = await ledger.readActs({ before: null, runId: null, limit: 2 });
      expect([newest?.purchaseId, next?.purchaseId]).toEqual([purchases[2], purchases[1]]);
      const rest = await ledger.readActs({ before: next?.actId ?? 0, runId: null, limit: 2 });
      expect(rest.map(({ purchaseId }) => purchaseId)).toEqual([purchases[0]]);
    });

    it("are not kept of what was refused", async () => {
      const ledger = await open();
      const [purchaseId = 0] = await doubt(ledger, ["/a"]);
      const word = { purchaseId, charged: true, who: WHO, now: NOON };
      await ledger.resolvePurchase(word);
      await expect(ledger.resolvePurchase(word)).rejects.toMatchObject({ code: "PURCHASE_NOT_IN_DOUBT" });
      await expect(ledger.closeItem({ itemId: 9, who: WHO, now: NOON })).rejects.toMatchObject({
        code: "OPEN_ITEM_NOT_FOUND",
      });
      await expect(ledger.resolveReport({ reportId: 9, taken: true, who: WHO, now: NOON })).rejects.toMatchObject({
        code: "REPORT_NOT_FOUND",
      });
      expect(await readAll(ledger)).toHaveLength(1);
    });

    it("count the versions of one purge as one act, and find it from each page", async () => {
      const ledger = await open();
      const paths = Array.from({ length: 120 }, (_, index) => `/p${index}`);
      await buyPages(ledger, { paths });
      const policies = {
        standard: { retentionMs: DAY_MS, onExpiry: "purge", isAsked: false, hosts: { "news.example": true } },
      } as const;
      const request = { policies, hosts: null, named: null, now: NOON + 2 * DAY_MS, limit: 9 };
      expect(await ledger.purge({ ...request, dryRun: true, who: WHO })).toMatchObject({ versions: 120 });
      expect(await readAll(ledger)).toEqual([]);
      expect(await ledger.purge({ ...request, dryRun: false, who: WHO })).toMatchObject({ versions: 120 });
      expect(await ledger.purge({ ...request, dryRun: false, who: WHO })).toMatchObject({ versions: 0 });
      const acts = [{ kind: "content_purged", ...WHO, count: 120, at: NOON + 2 * DAY_MS }];
      expect(await readAll(ledger)).toMatchObject(acts);
      expect((await ledger.readPage("https://news.example/p119"))?.acts).toMatchObject(acts);
      await expectSound(ledger);
    });

    it("say who stopped a run at the signal, once, and who cancelled it", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec({ runId: "run_1" }));
      const [process, stopped] = ["here:1:a", { endedBy: "person", who: WHO, at: NOON } as const];
      const begun = await begin(ledger, { which: { kind: "named", runId: "run_1" }, process, gone: [process] });
      expect(begun.kind).toBe("begun");
      const renewal = { runId: "run_1", process, aliveUntil: NOON + 9 };
      await ledger.renewRun({ ...renewal, process: "another:1:a", stopped });
      expect(await readAll(ledger)).toEqual([]);
      await ledger.renewRun({ ...renewal, stopped });
      await ledger.renewRun({ ...renewal, stopped: { ...stopped, who: { by: "ben", reason: null } } });
      const end = { runId: "run_1", state: "interrupted", reason: null, endedBy: "person", now: NOON + 1 } as const;
      await ledger.endRun({ ...end, who: WHO, process });
      await ledger.cancelRun({ ...NOBODY_ELSE, runId: "run_1", who: { by: "ben", reason: "a wrong list" } });
      await ledger.cancelRun({ ...NOBODY_ELSE, runId: "run_1", who: { by: "carl", reason: null } });
      const acts = [
        { kind: "run_cancelled", by: "ben", reason: "a wrong list", runId: "run_1" },
        { kind: "run_stopped", ...WHO, runId: "run_1", at: NOON },
      ];
      expect(await readAll(ledger)).toMatchObject(acts);
      expect(await ledger.readActs({ before: null, runId: "run_1", limit: 9 })).toMatchObject(acts);
      expect(await ledger.readActs({ before: null, runId: "run_2", limit: 9 })).toEqual([]);
    });

    it("say nothing of a stop by a service", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec({ runId: "run_1" }));
      await ledger.endRun({ runId: "run_1", state: "interrupted", reason: null, endedBy: "service", now: NOON });
      expect(await readAll(ledger)).toEqual([]);
    });
  });
}
