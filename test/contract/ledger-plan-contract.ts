import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { ListedPage } from "../../src/ledger/list-ledger.ts";
import type { AppliedPlan, PlanBasis } from "../../src/list/applied-plan.ts";
import { toMicros } from "../../src/money/micros.ts";
import { buyPages, NOON, startPages } from "../doubles/ledger-shop.ts";
import { HOST, openAcquire, type QuickDecision, start, toRate, toSettlement } from "../doubles/ledger-steps.ts";
import { beginList, decideListed, LIST_RUN, recordPaths, toListed } from "../doubles/list-driver.ts";

const DIGEST = "ab".repeat(32);
const PROCESS = "here:1:list";
const LATER = NOON + 60_000;
const ALWAYS = { when: "always", maxAgeMs: null } as const;
const SITE = { host: HOST, refresh: ALWAYS, intent: "content" } as const;

/** What every ledger promises of the runs that buy from a plan. */
export function describePlans(open: () => Promise<Ledger>): void {
  /** @param plan made by a clock that is a day ahead: no instant decides */
  const apply = async (
    ledger: Ledger,
    pages: readonly (string | ListedPage)[],
    {
      plan = {},
      runId = LIST_RUN,
      ...quick
    }: QuickDecision & { readonly plan?: Partial<AppliedPlan>; readonly runId?: string } = {},
  ) => {
    const applied = { createdAt: LATER + 86_400_000, digest: DIGEST, basis: null, ...plan };
    const which = { kind: "list", source: "plan", path: "/plans/p.jsonl", plan: applied } as const;
    const run = { runId, process: `${PROCESS}:${runId}` };
    await beginList(ledger, { which, now: LATER, ...run });
    await recordPaths(ledger, pages, { now: LATER, sites: [SITE], ...run });
    await decideListed(ledger, { now: LATER, refresh: ALWAYS, runId, ...quick });
    return (await ledger.readRun(runId)).denials;
  };

  describe("a run with a plan", () => {
    it("buys no page again that was bought since the plan was made, also where pages are always refreshed", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "before", paths: ["/before"], at: NOON });
      const basis = await ledger.readPlanBasis();
      await buyPages(ledger, { runId: "since", paths: ["/since"], at: NOON });
      expect(await apply(ledger, ["/before", "/since", "/new"], { plan: { basis } })).toEqual({ already_held: 1 });
      expect((await ledger.readRun(LIST_RUN)).pages.approved).toBe(2);
    });

    it("knows nothing of the purchases of a ledger that had none when it was made", async () => {
      const ledger = await open();
      expect(await ledger.readPlanBasis()).toBeNull();
      await buyPages(ledger, { runId: "since", paths: ["/since"], at: NOON });
      expect(await apply(ledger, ["/since", "/new"])).toEqual({ already_held: 1 });
    });

    it("buys each page once under a digest, however often and after whatever clock, also with another ledger's basis", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "before", paths: ["/a"], at: NOON });
      const plan = { basis: { purchase: 1, run: "of_another_ledger" } };
      expect(await apply(ledger, ["/a"], { plan })).toEqual({});
      const { leaseId, purchases } = await openAcquire(ledger, { runId: LIST_RUN, now: LATER });
      for (const { purchaseId } of purchases) {
        await start(ledger, leaseId, purchaseId, LATER);
        await ledger.settlePurchase(toSettlement(purchaseId, { now: LATER }));
      }
      await ledger.endRun({ runId: LIST_RUN, state: "completed", reason: null, now: LATER });
      expect(await apply(ledger, ["/a", "/b"], { plan, runId: "again" })).toEqual({ already_held: 1 });
      await ledger.endRun({ runId: "again", state: "completed", reason: null, now: LATER });
      const other = { ...plan, digest: "cd".repeat(32) };
      expect(await apply(ledger, ["/a"], { plan: other, runId: "another_plan" })).toEqual({});
    });

    it("buys no page again that is in doubt since the plan was made, also where pages in doubt are bought again", async () => {
      const ledger = await open();
      const at = NOON;
      let basis: PlanBasis | null = null;
      for (const [runId, path] of [
        ["before", "/before"],
        ["since", "/since"],
      ] as const) {
        basis = runId === "since" ? await ledger.readPlanBasis() : basis;
        const purchases = await startPages(ledger, { runId, paths: [path], at });
        for (const { purchaseId } of purchases) {
          const change = { purchaseId, reason: "token_spent", detail: "gone", now: at + 1 } as const;
          await ledger.holdInDoubt(change);
        }
        await ledger.endRun({ runId, state: "completed", reason: null, now: at + 1 });
      }
      expect(await apply(ledger, ["/before", "/since"], { inDoubt: "rebuy", plan: { basis } })).toEqual({
        in_doubt: 1,
      });
    });

    it("names the first pages that were denied, with the terms of the plan and the rates of now", async () => {
      const ledger = await open();
      const terms = {
        maxPrice: { micros: toMicros(9_000), currency: "USD" },
        license: { licenseType: "ON_DEMAND_LICENSE", cuid: null },
        value: null,
      };
      const listing = { rates: [toRate(10_000)], unreadable: [] };
      const pages = ["/c", "/b", "/a"].map((path, index) => toListed(path, index + 1, { terms }));
      const deny = (pageIds: readonly number[]) =>
        pageIds.map((pageId, index) => ({
          pageId,
          listing,
          verdict: {
            kind: "denied",
            ruleIndex: 0,
            reason: index === 0 ? "already_held" : "max_price",
            detail: `the ${index}.`,
          } as const,
        }));
      expect(await apply(ledger, pages, { decisions: deny })).toEqual({ already_held: 1, max_price: 2 });
      const query = { runId: LIST_RUN, passedOver: "already_held" } as const;
      const denied = { host: HOST, reason: "max_price", terms, listing };
      const [b, a] = [
        { url: `https://${HOST}/b`, detail: "the 1.", ...denied },
        { url: `https://${HOST}/a`, detail: "the 2.", ...denied },
      ];
      expect(await ledger.readUnbought({ ...query, limit: 9 })).toEqual([b, a]);
      expect(await ledger.readUnbought({ ...query, limit: 1 })).toEqual([b]);
      await expect(ledger.readUnbought({ ...query, runId: "none", limit: 1 })).rejects.toMatchObject({
        code: "RUN_NOT_FOUND",
      });
    });
  });
}
