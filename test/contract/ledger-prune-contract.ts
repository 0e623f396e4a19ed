import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { crawl, toDatedEntry } from "../audit/crawling.ts";
import { NOON } from "../doubles/ledger-shop.ts";
import { decideBatch, toApproval, toRate, toSite, toSpec, walkPage } from "../doubles/ledger-steps.ts";
import { beginList, decideListed, LIST_RUN, recordPaths } from "../doubles/list-driver.ts";

const DAY_MS = 86_400_000;
const NOW = NOON + 100 * DAY_MS;
/** Between the old runs and the young ones. */
const BEFORE = NOON + 50 * DAY_MS;

interface DeniedRun {
  readonly runId: string;
  readonly at: number;
  readonly paths?: readonly string[];
  /** @default "completed"; null: the run goes on. */
  readonly end?: Parameters<Ledger["endRun"]>[0]["state"] | null;
}

const toDenial = (pageId: number): Parameters<Ledger["decide"]>[0]["decisions"][number] => ({
  pageId,
  verdict: { kind: "denied", ruleIndex: 0, reason: "denied_by_rule", detail: "no" },
  listing: null,
});

/** A run that is denied every page. */
async function deny(ledger: Ledger, { runId, at, paths = ["/a", "/b"], end = "completed" }: DeniedRun): Promise<void> {
  await ledger.createRun(toSpec({ runId, startedAt: at, sites: [toSite()] }));
  await walkPage(ledger, {
    runId,
    now: at,
    entries: paths.map((path) => toDatedEntry(path)),
    refresh: { when: "always", maxAgeMs: null },
    intent: "content",
  });
  await decideBatch(ledger, {
    runId,
    now: at,
    refresh: { when: "always", maxAgeMs: null },
    decisions: (ids) => ids.map(toDenial),
  });
  if (end !== null) {
    await ledger.endRun({ runId, state: end, reason: null, now: at + 60_000 });
  }
}

/** One page is bought, the other denied. */
async function buyOne(ledger: Ledger): Promise<void> {
  const rate = toRate(10_000);
  await crawl(ledger, {
    runId: "both",
    at: NOON,
    pages: { "/a": "settled", "/b": "settled" },
    quick: {
      decisions: (ids) => ids.map((pageId, index) => (index === 0 ? toApproval(pageId, rate) : toDenial(pageId))),
    },
  });
}

const NOTHING = { denials: 0, runs: 0, examples: 0, slots: 0, hints: 0, alerts: 0 };
const OLD: DeniedRun = { runId: "old", at: NOON };
const YOUNG: DeniedRun = { runId: "young", at: BEFORE + DAY_MS, paths: ["/y"] };

/** What every ledger promises of pruning. */
export function describePruning(open: () => Promise<Ledger>): void {
  async function openWith(...runs: readonly DeniedRun[]): Promise<Ledger> {
    const ledger = await open();
    for (const run of runs) {
      await deny(ledger, run);
    }
    return ledger;
  }
  async function expectClean(ledger: Ledger): Promise<void> {
    expect((await ledger.audit({ budgets: [], now: NOW })).violations).toEqual([]);
  }
  const denialsOf = async (ledger: Ledger, path: string) =>
    (await ledger.readPage(`https://news.example${path}`))?.denials.map(({ runId }) => runId);

  describe("prune", () => {
    it("deletes old runs that bought nothing with their denials, keeps young ones, and the audit stays clean", async () => {
      const ledger = await openWith(OLD, { ...YOUNG, paths: ["/a"] });
      expect(await ledger.prune({ before: BEFORE, dryRun: false })).toEqual({
        denials: 2,
        runs: 1,
        examples: 0,
        slots: 0,
        hints: 0,
        alerts: 0,
      });
      await expect(ledger.readRun("old")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
      expect(await denialsOf(ledger, "/a")).toEqual(["young"]);
      expect(await denialsOf(ledger, "/b")).toEqual([]);
      await expectClean(ledger);
    });

    it("deletes a list that bought nothing with its run", async () => {
      const ledger = await openWith();
      await beginList(ledger);
      await recordPaths(ledger, ["/a", "/b"], { lines: 3, rejected: [{ line: 3, reason: "not_json", raw: "{" }] });
      await decideListed(ledger, { decisions: (ids) => ids.map(toDenial) });
      await ledger.endRun({ runId: LIST_RUN, state: "completed", reason: null, now: NOON });
      await deny(ledger, YOUNG);
      expect(await ledger.prune({ before: BEFORE, dryRun: false })).toMatchObject({ denials: 2, runs: 1 });
      expect(await ledger.readIntake(LIST_RUN)).toBeNull();
      await expectClean(ledger);
    });

    it("keeps a run that bought something, with all its counts, and every fact of it", async () => {
      const ledger = await open();
      await crawl(ledger, {
        runId: "bought",
        at: NOON,
        pages: { "/x": "settled", "/y": "in_doubt", "/z": "released" },
      });
      await deny(ledger, YOUNG);
      const before = await ledger.readRun("bought");
      const status = await ledger.readStatus();
      expect(await ledger.prune({ before: BEFORE, dryRun: false })).toEqual(NOTHING);
      expect(await ledger.readRun("bought")).toEqual(before);
      expect(await ledger.readStatus()).toEqual(status);
      await expectClean(ledger);
    });

    it("keeps the counts of denials whose run stays", async () => {
      const ledger = await open();
      await buyOne(ledger);
      await deny(ledger, YOUNG);
      const before = await ledger.readRun("both");
      expect(before).toMatchObject({ pages: { denied: 1, bought: 1 }, denials: { denied_by_rule: 1 } });
      expect(await ledger.prune({ before: BEFORE, dryRun: false })).toEqual({
        denials: 1,
        runs: 0,
        examples: 0,
        slots: 0,
        hints: 0,
        alerts: 0,
      });
      expect(await ledger.readRun("both")).toEqual(before);
      await expectClean(ledger);
    });

    it("keeps a run that is running or can be resumed, and the newest run", async () => {
      const ledger = await openWith(
        { ...OLD, runId: "interrupted", end: "interrupted" },
        { ...OLD, runId: "running", end: null },
        { ...OLD, runId: "newest", paths: ["/c"] },
      );
      expect(await ledger.prune({ before: BEFORE, dryRun: false })).toEqual({
        denials: 1,
        runs: 0,
        examples: 0,
        slots: 0,
        hints: 0,
        alerts: 0,
      });
      expect(await denialsOf(ledger, "/a")).toHaveLength(2);
      expect(await ledger.hasRuns()).toBe(true);
      await expectClean(ledger);
    });

    it("only says what would be deleted on a dry run, and finds nothing the second time", async () => {
      const ledger = await openWith(OLD, YOUNG);
      const going = { denials: 2, runs: 1, examples: 0, slots: 0, hints: 0, alerts: 0 };
      expect(await ledger.prune({ before: BEFORE, dryRun: true })).toEqual(going);
      expect(await denialsOf(ledger, "/a")).toEqual(["old"]);
      expect(await ledger.prune({ before: BEFORE, dryRun: false })).toEqual(going);
      expect(await ledger.prune({ before: BEFORE, dryRun: false })).toEqual(NOTHING);
      await expectClean(ledger);
    });
  });
}
