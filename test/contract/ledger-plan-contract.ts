import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { ListedPage } from "../../src/ledger/list-ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { buyPages, NOON, startPages } from "../doubles/ledger-shop.ts";
import { HOST, type QuickDecision, toRate } from "../doubles/ledger-steps.ts";
import { beginList, decideListed, LIST_RUN, recordPaths, toListed } from "../doubles/list-driver.ts";

const PLANNED_AT = NOON;
const LATER = NOON + 60_000;
const ALWAYS = { when: "always", maxAgeMs: null } as const;
const SITE = { host: HOST, refresh: ALWAYS, intent: "content" } as const;

/** What every ledger promises of the runs that buy from a plan. */
export function describePlans(open: () => Promise<Ledger>): void {
  const apply = async (ledger: Ledger, pages: readonly (string | ListedPage)[], quick: QuickDecision = {}) => {
    const which = { kind: "list", source: "plan", path: "/plans/p.jsonl", plannedAt: PLANNED_AT } as const;
    await beginList(ledger, { which, now: LATER });
    await recordPaths(ledger, pages, { now: LATER, sites: [SITE] });
    await decideListed(ledger, { now: LATER, refresh: ALWAYS, ...quick });
    return (await ledger.readRun(LIST_RUN)).denials;
  };

  describe("a run with a plan", () => {
    it("buys no page again that was bought since the plan was made, also where pages are always refreshed", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "before", paths: ["/before"], at: PLANNED_AT - 1 });
      await buyPages(ledger, { runId: "since", paths: ["/since"], at: PLANNED_AT });
      expect(await apply(ledger, ["/before", "/since", "/new"])).toEqual({ already_held: 1 });
      expect((await ledger.readRun(LIST_RUN)).pages.approved).toBe(2);
    });

    it("buys no page again that is in doubt since the plan was made, also where pages in doubt are bought again", async () => {
      const ledger = await open();
      for (const [runId, path, at] of [
        ["before", "/before", PLANNED_AT - 2],
        ["since", "/since", PLANNED_AT],
      ] as const) {
        const purchases = await startPages(ledger, { runId, paths: [path], at });
        for (const { purchaseId } of purchases) {
          const change = { purchaseId, reason: "token_spent", detail: "gone", now: at + 1 } as const;
          await ledger.holdInDoubt(change);
        }
        await ledger.endRun({ runId, state: "completed", reason: null, now: at + 1 });
      }
      expect(await apply(ledger, ["/before", "/since"], { inDoubt: "rebuy" })).toEqual({ in_doubt: 1 });
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
