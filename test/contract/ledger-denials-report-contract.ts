import { describe, expect, it } from "vitest";
import type { DenialCursor, DenialsQuery } from "../../src/ledger/denial-reports.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { DenialReason } from "../../src/policy/verdict.ts";
import { NOON, reservePages, type Shopping } from "../doubles/ledger-shop.ts";

const DAY_MS = 86_400_000;
const HOST = "news.example";
const OTHER_HOST = "shop.example";

const denyBy =
  (reason: DenialReason, ruleIndex: number | null): NonNullable<Shopping["judge"]> =>
  ({ pageId }) => ({
    pageId,
    listing: null,
    verdict: { kind: "denied", ruleIndex, reason, detail: null },
  });

function read(ledger: Ledger, query: Partial<DenialsQuery> = {}) {
  const all = { runId: null, from: 0, to: NOON + 2 * DAY_MS, host: null, reason: null, after: null, limit: 100 };
  return ledger.readDenials({ ...all, ...query });
}

/** Two runs of two sites, one of them a day later. */
async function fill(ledger: Ledger): Promise<void> {
  const paths = ["/a", "/b", "/c"];
  await reservePages(ledger, { runId: "run_1", paths, judge: denyBy("denied_by_rule", 2) });
  await ledger.endRun({ runId: "run_1", state: "completed", reason: null, now: NOON });
  const at = NOON + DAY_MS;
  await reservePages(ledger, {
    runId: "run_2",
    host: OTHER_HOST,
    paths: ["/x"],
    at,
    judge: denyBy("not_licensable", null),
  });
  await ledger.endRun({ runId: "run_2", state: "completed", reason: null, now: at });
  await reservePages(ledger, { runId: "run_3", paths: ["/a"], at, judge: denyBy("no_rule_matched", null) });
}

export function describeDenialReports(open: () => Promise<Ledger>): void {
  describe("readDenials", () => {
    it("counts denials of some runs by site and reason, and by rule", async () => {
      const ledger = await open();
      await fill(ledger);
      expect(await read(ledger)).toMatchObject({
        runs: 3,
        isCut: false,
        counts: [
          { host: HOST, reason: "denied_by_rule", pages: 3 },
          { host: HOST, reason: "no_rule_matched", pages: 1 },
          { host: OTHER_HOST, reason: "not_licensable", pages: 1 },
        ],
        rules: [
          { policyName: "standard", ruleIndex: 2, reason: "denied_by_rule", pages: 3 },
          { policyName: "standard", ruleIndex: null, pages: 1 },
          { policyName: "standard", ruleIndex: null, pages: 1 },
        ],
        ruledPages: 5,
        next: null,
      });
      expect(await read(ledger, { to: NOON + DAY_MS })).toMatchObject({ runs: 1, ruledPages: 3 });
      expect(await read(ledger, { from: NOON + 1, host: HOST })).toMatchObject({
        runs: 2,
        counts: [{ host: HOST, reason: "no_rule_matched", pages: 1 }],
        pages: [{ runId: "run_3", url: `https://${HOST}/a`, at: NOON + DAY_MS }],
      });
      expect(await read(ledger, { runId: "run_1", from: NOON + 1 })).toMatchObject({ runs: 1, ruledPages: 3 });
      await expect(read(ledger, { runId: "run_9" })).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    });

    it("lists each page once, whatever the size of a part, and of one reason too", async () => {
      const ledger = await open();
      await fill(ledger);
      for (const limit of [1, 2, 3, 4, 5]) {
        const seen: string[] = [];
        let after: DenialCursor | null = null;
        do {
          const part: Awaited<ReturnType<typeof read>> = await read(ledger, { after, limit });
          seen.push(...part.pages.map(({ runId, url }) => `${runId} ${new URL(url).pathname}`));
          after = part.next;
        } while (after !== null);
        expect(seen).toEqual(["run_3 /a", "run_2 /x", "run_1 /a", "run_1 /b", "run_1 /c"]);
      }
      const { counts, pages, rules } = await read(ledger, { reason: "not_licensable" });
      expect(pages.map(({ url }) => url)).toEqual([`https://${OTHER_HOST}/x`]);
      expect(rules).toHaveLength(1);
      expect(counts).toHaveLength(3);
    });
  });
}
