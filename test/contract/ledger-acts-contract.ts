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

    it("say who started a run, who let it go on, and who approved its plan; nobody is named for a schedule's", async () => {
      const ledger = await open();
      const beginning = { process: "here:1:a", now: NOON, aliveMs: 1_000, gone: [] };
      await begin(ledger, { ...beginning, which: { kind: "fresh" }, runId: "run_1", who: WHO });
      await ledger.endRun({ runId: "run_1", state: "interrupted", reason: null, now: NOON });
      const named = { kind: "named", runId: "run_1" } as const;
      await begin(ledger, { ...beginning, process: "here:1:b", which: named, who: WHO });
      await ledger.endRun({ runId: "run_1", state: "completed", reason: null, now: NOON });
      const plan = { createdAt: NOON, digest: "ab".repeat(32), basis: null };
      const which = { kind: "list", source: "plan", path: "/plans/may.jsonl", plan } as const;
      await begin(ledger, { ...beginning, process: "here:1:c", runId: "run_2", which, who: WHO });
      await ledger.endRun({ runId: "run_2", state: "interrupted", reason: null, now: NOON });
      await begin(ledger, { ...beginning, process: "here:1:d", which: { kind: "fresh" }, runId: "run_3" });
      expect(await readAll(ledger)).toMatchObject([
        { kind: "plan_approved", ...WHO, runId: "run_2", plan: plan.digest },
        { kind: "run_resumed", ...WHO, runId: "run_1" },
        { kind: "run_started", ...WHO, runId: "run_1" },
      ]);
      await expectSound(ledger);
    });

    it("are found by their request, which does what it asks for once", async () => {
      const ledger = await open();
      const [first = 0, second = 0] = await doubt(ledger, ["/a", "/b"]);
      const who = { ...WHO, requestKey: "form 1" };
      await ledger.resolvePurchase({ purchaseId: first, charged: true, who, now: NOON });
      expect(await ledger.findAct("form 1")).toMatchObject({ kind: "purchase_charged", purchaseId: first, ...WHO });
      expect(await ledger.findAct("form 2")).toBeNull();
      await expect(ledger.resolvePurchase({ purchaseId: second, charged: true, who, now: NOON })).rejects.toThrow();
      expect(await readAll(ledger)).toHaveLength(1);
      expect((await ledger.readStatus()).inDoubt).toMatchObject([{ purchaseId: second }]);
      await expectSound(ledger);
    });

    it("say who looks after an alert; the first word stays", async () => {
      const ledger = await open();
      const alert = {
        kind: "run_failed",
        key: "run_failed:run_1",
        message: "run_1 failed",
        details: {},
        at: NOON,
      } as const;
      const about = { site: null, run: "run_1", code: null, command: null };
      const rest = { unless: null, unreportedForMs: null, isSilent: false };
      const receivers = [{ receiver: "first", kinds: [alert.kind], unreportedForMs: null }];
      await ledger.admitReceivers({ receivers, now: NOON });
      await ledger.raiseAlerts({ alerts: [{ ...alert, ...about, ...rest }], receivers, now: NOON });
      const all = { before: null, isOpen: false, limit: 9 };
      const [raised] = await ledger.readAlerts({ ...all, isOpen: true });
      expect(raised).toMatchObject({ message: "run_1 failed", run: "run_1", raisedAt: NOON, acknowledged: null });
      const alertId = raised?.alertId ?? 0;
      expect(await ledger.acknowledgeAlert({ alertId, who: WHO, now: NOON })).toBe(true);
      expect(await ledger.acknowledgeAlert({ alertId, who: { by: "ben", reason: null }, now: NOON })).toBe(false);
      expect(await ledger.readAlerts({ ...all, isOpen: true })).toEqual([]);
      expect(await ledger.readAlerts(all)).toMatchObject([{ alertId, acknowledged: { at: NOON, ...WHO } }]);
      expect(await ledger.readAlerts({ ...all, before: alertId })).toEqual([]);
      const told = async () => (await ledger.readAlerts(all))[0]?.deliveries;
      const due = { receiver: "first", error: null, endedAt: null } as const;
      expect(await told()).toEqual([{ ...due, state: "pending", attempts: 0, nextAttemptAt: NOON }]);
      const [{ attempt } = { attempt: 0 }] = await ledger.takeDeliveries({
        ...{ receivers: ["first"], now: NOON, leaseMs: 1_000, limit: 9 },
      });
      const of = { alertId, receiver: "first", attempt, now: NOON + 5 };
      const later = NOON + 60_000;
      await ledger.endDelivery({ ...of, outcome: { kind: "retry", notBefore: later, error: "503" } });
      expect(await told()).toEqual([{ ...due, state: "pending", attempts: 1, error: "503", nextAttemptAt: later }]);
      const [again] = await ledger.takeDeliveries({ receivers: ["first"], now: later, leaseMs: 1_000, limit: 9 });
      await ledger.endDelivery({ ...of, attempt: again?.attempt ?? 0, now: later, outcome: { kind: "delivered" } });
      expect(await told()).toMatchObject([{ state: "delivered", attempts: 2, nextAttemptAt: null, endedAt: later }]);
      expect(await readAll(ledger)).toMatchObject([{ kind: "alert_acknowledged", alert: alert.key, ...WHO }]);
      await expect(ledger.acknowledgeAlert({ alertId: 99, now: NOON })).rejects.toMatchObject({
        code: "ALERT_NOT_FOUND",
      });
      await expectSound(ledger);
    });
  });
}
