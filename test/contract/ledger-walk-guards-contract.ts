import { describe, expect, it } from "vitest";
import { createWalkState } from "../../src/catalog/walk-state.ts";
import { DENIAL_REASONS, type DenialReason } from "../../src/policy/verdict.ts";
import { NOON } from "../doubles/ledger-shop.ts";
import { decideBatch, leaseOne, RUN, toEntry, toSite, toSpec, walkPage } from "../doubles/ledger-steps.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const DAY_MS = 86_400_000;
/** Catalog pages that may bring nothing, beyond one for each page found. */
const MAX_IDLE = 1_000;

/** Denials that are about the page and its rates: the next run would say the same. */
const LASTING: readonly DenialReason[] = [
  "no_rule_matched",
  "denied_by_rule",
  "not_licensable",
  "already_held",
  "max_price",
  "not_planned",
];
const PASSING: readonly DenialReason[] = [
  "not_quoted",
  "budget_exhausted",
  "max_pages",
  "max_spend",
  "in_doubt",
  "already_open",
  "site_stopped",
];

export function describeWalkGuards(open: OpenLedger): void {
  describe("a walk", () => {
    it.each([
      { found: 0, pagesRead: MAX_IDLE, ends: false },
      { found: 0, pagesRead: MAX_IDLE + 1, ends: true },
      { found: 2, pagesRead: MAX_IDLE + 2, ends: false },
      { found: 2, pagesRead: MAX_IDLE + 3, ends: true },
    ])("that has found $found pages in $pagesRead catalog pages ends: $ends", async ({ found, pagesRead, ends }) => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      const entries = Array.from({ length: found }, (_, index) => toEntry(`/${index}`));
      const next = { ...createWalkState(null), pagesRead, pageToken: "ever new" };
      const recorded = await walkPage(ledger, { entries, next });
      expect(recorded).toMatchObject({ idle: ends, walkEnded: ends, looped: false });
      expect((await ledger.readRun(RUN)).sites[0]?.walkWarning).toEqual(
        ends ? expect.stringContaining("had no new entry") : null,
      );
    });

    it("that reads its last page is complete, however little it found", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      const next = { ...createWalkState(null), pagesRead: 9 * MAX_IDLE, ended: "complete" as const };
      expect(await walkPage(ledger, { entries: [], next })).toMatchObject({ idle: false, walkEnded: true });
      expect((await ledger.readRun(RUN)).sites[0]?.walkWarning).toBeNull();
    });

    it.each([
      ...PASSING.map((reason) => [reason, false] as const),
      ...LASTING.map((reason) => [reason, true] as const),
    ])("that found a page denied as %s lets the next one stop above it: %s", async (reason, moves) => {
      const ledger = await open();
      const sites = [toSite({ fullWalkEveryMs: 7 * DAY_MS, overlapMs: 0 })];
      await ledger.createRun(toSpec({ sites }));
      await walkPage(ledger, { entries: [toEntry("/a", { lastMod: "x", lastModAt: NOON - DAY_MS })] });
      await decideBatch(ledger, {
        decisions: ([pageId = 0]) => [
          { pageId, listing: null, verdict: { kind: "denied", ruleIndex: null, reason, detail: null } },
        ],
      });
      await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON });
      await ledger.createRun(toSpec({ runId: "run_2", startedAt: NOON + DAY_MS, sites }));
      const { leaseId } = await leaseOne(ledger, "walk", { runId: "run_2", now: NOON + DAY_MS });
      const walk = (await ledger.openWalk(leaseId))?.walk;
      expect(walk?.stopBelowAt).toBe(moves ? NOON - DAY_MS : null);
    });

    it("has no denial that is neither", () => {
      const known = new Set([
        ...PASSING,
        ...LASTING,
        "no_usable_rate",
        "no_budget_in_currency",
        "quote_refused",
        "kept_off",
      ]);
      expect(DENIAL_REASONS.filter((reason) => !known.has(reason))).toEqual([]);
    });
  });
}
