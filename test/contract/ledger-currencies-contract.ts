import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { NOON } from "../doubles/ledger-shop.ts";
import {
  decideBatch,
  leaseMany,
  leaseOne,
  RUN,
  resumeRun,
  toApproval,
  toBudget,
  toDecideRequest,
  toEntry,
  toRate,
  toSite,
  toSpec,
  walkPage,
} from "../doubles/ledger-steps.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const EUR = { currency: "EUR" } as const;
const OTHER = "other.example";
const PRICE = 10_000;

/** Decides pages in these currencies, in order; null is a page that is only indexed. */
function decideIn(
  ledger: Ledger,
  currencies: readonly (string | null)[],
  budgets: readonly ReturnType<typeof toBudget>[],
) {
  return decideBatch(ledger, {
    budgets,
    decisions: (ids) =>
      ids.map((id, index) => {
        const currency = currencies[index];
        return toApproval(id, currency === null ? null : toRate(PRICE, currency));
      }),
  });
}

async function open(ledger: Ledger, pages: number, quoteBatchSize = 100): Promise<void> {
  await ledger.createRun(toSpec());
  const entries = Array.from({ length: pages }, (_, index) => toEntry(`/${index}`));
  await walkPage(ledger, { entries, quoteBatchSize });
}

export function describeCurrencies(openLedger: OpenLedger): void {
  describe("budgets in two currencies", () => {
    it("stop the pages of their own currency, in this batch and the next ones, and no others", async () => {
      const ledger = await openLedger();
      const budgets = [toBudget(PRICE, EUR), toBudget(100 * PRICE)];
      await open(ledger, 6, 3);
      expect(await decideIn(ledger, ["EUR", "EUR", "USD"], budgets)).toEqual({
        stale: false,
        approved: 2,
        denied: { budget_exhausted: 1 },
        exhausted: null,
        spent: [{ currency: "EUR", detail: "budget all per total in EUR" }],
      });
      // Also a free page of that currency: what is bought must not depend on what is cheap enough by chance.
      await leaseOne(ledger, "acquire");
      const next = await decideBatch(ledger, {
        budgets,
        decisions: ([a = 0, b = 0, c = 0]) => [
          toApproval(a, toRate(PRICE)),
          toApproval(b, toRate(0, "EUR")),
          toApproval(c, toRate(PRICE)),
        ],
      });
      expect(next).toEqual({ stale: false, approved: 2, denied: { budget_exhausted: 1 }, exhausted: null });
      expect((await ledger.readRun(RUN)).sites).toMatchObject([
        { stop: null, exhausted: { EUR: "budget all per total in EUR" } },
      ]);
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true, violations: [] });
    });

    it("stop the site when no currency is left", async () => {
      const ledger = await openLedger();
      await open(ledger, 4);
      const budgets = [toBudget(PRICE, EUR), toBudget(PRICE, { scope: { kind: "run" } })];
      expect(await decideIn(ledger, ["EUR", "EUR", "USD", "USD"], budgets)).toMatchObject({
        approved: 2,
        denied: { budget_exhausted: 2 },
        exhausted: { stop: "budget_exhausted", detail: "budget run per total in USD" },
      });
      expect((await ledger.readRun(RUN)).sites).toMatchObject([{ stop: "budget_exhausted" }]);
    });

    it("stop other sites of the run that have no other currency, and leave those that have one, or are only indexed", async () => {
      const ledger = await openLedger();
      const sites = [
        toSite(),
        toSite({ host: OTHER }),
        toSite({ host: "rich.example" }),
        toSite({ host: "indexed.example" }),
      ];
      await ledger.createRun(toSpec({ sites }));
      await walkPage(ledger, { entries: [toEntry("/a")], quoteBatchSize: 1 });
      const quote = (await leaseMany(ledger)).find(({ stage }) => stage === "quote")?.leaseId ?? "";
      const pageId = (await ledger.openQuoteBatch(quote))?.pages[0]?.pageId ?? 0;
      await ledger.decide(
        toDecideRequest(quote, [toApproval(pageId, toRate(1))], {
          budgets: [toBudget(0), toBudget(PRICE, { ...EUR, scope: { kind: "site", host: "rich.example" } })],
          indexingHosts: ["indexed.example"],
        }),
      );
      expect((await ledger.readRun(RUN)).sites.map(({ stop }) => stop)).toEqual([
        "budget_exhausted",
        "budget_exhausted",
        null,
        null,
      ]);
    });

    it("never stop pages that are only indexed", async () => {
      const ledger = await openLedger();
      await ledger.createRun(toSpec());
      await walkPage(ledger, { entries: [toEntry("/a")], intent: "indexing" });
      expect(
        await decideBatch(ledger, { rate: null, intent: "indexing", budgets: [toBudget(0), toBudget(0, EUR)] }),
      ).toMatchObject({ approved: 1, exhausted: null });
    });

    it("are checked again when the run is resumed, where a currency may have money again", async () => {
      const ledger = await openLedger();
      await open(ledger, 3);
      await decideIn(ledger, ["EUR", "EUR", "USD"], [toBudget(PRICE, EUR), toBudget(100 * PRICE)]);
      await resumeRun(ledger);
      expect((await ledger.readRun(RUN)).sites).toMatchObject([{ exhausted: {} }]);
      const leaseId = (await leaseMany(ledger)).find(({ stage }) => stage === "quote")?.leaseId ?? "";
      const pageIds = (await ledger.openQuoteBatch(leaseId))?.pages.map(({ pageId }) => pageId) ?? [];
      const approvals = pageIds.map((id) => toApproval(id, toRate(PRICE, "EUR")));
      expect(
        await ledger.decide(toDecideRequest(leaseId, approvals, { budgets: [toBudget(9 * PRICE, EUR)] })),
      ).toMatchObject({ approved: 2, exhausted: null });
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true, violations: [] });
    });
  });
}
