/** Real processes of `licet fetch`, killed while they buy: each page is charged once at most, and budgets hold. */
import { afterEach, expect, test, vi } from "vitest";
import { newsSite, ONE_PRICE } from "../doubles/cli-world.ts";
import { compareAccounts, compareReports } from "../doubles/compare-accounts.ts";
import { readPurchases } from "../doubles/crawl-world.ts";
import { killAt } from "./crash-order.ts";
import { CRASH_TIMEOUT_MS, type CrashWorld, createCrashWorld, findImpoliteness } from "./crash-world.ts";
import { chooseOne, KILL_SEED } from "./kill-seed.ts";

vi.setConfig({ testTimeout: CRASH_TIMEOUT_MS });

const PAGES = 6;
const BUDGET_PAGES = 5;
const WANTED = [0, 1, 2].map((number) => `https://news.example/articles/${String(number).padStart(7, "0")}`);

let world: CrashWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

const MOMENTS = [
  ["beginFetch", "uncommitted", 1],
  ["beginFetch", "committed", 1],
  ["decide", "uncommitted", 1],
  ["startPurchase", "committed", 2],
  ["fetchContent", "sent", 2],
  ["settlePurchase", "before", 1],
  ["settlePurchase", "committed", 2],
  ["endFetchBatch", "before", 1],
  ["endFetchBatch", "uncommitted", 1],
  ["endFetchBatch", "committed", 1],
] as const;

/** Of a fetch of one page, which settles and ends in one commit. */
const MOMENTS_OF_ONE = [
  ["settleLast", "before", 1],
  ["settleLast", "uncommitted", 1],
  ["settleLast", "committed", 1],
] as const;

const KILLS = [
  ...MOMENTS.map((kill) => [...kill, WANTED] as const),
  ...MOMENTS_OF_ONE.map((kill) => [...kill, WANTED.slice(0, 1)] as const),
];

test.each(chooseOne(KILLS.flatMap((kill) => (["fetch", "run"] as const).map((next) => [...kill, next] as const))))(
  `a fetch that was killed at %s (%s, call %i) of %j is taken up by the next %s (LICET_KILL_SEED=${KILL_SEED})`,
  async (step, moment, nth, wanted, next) => {
    const opened = await createCrashWorld({
      sandbox: { sites: [newsSite(PAGES)], rates: ONE_PRICE, latencyMs: 8 },
      config: { budgets: [{ scope: "all", per: "month", limit: "0.05 USD" }] },
    });
    world = opened;
    const killed = await opened.start(["fetch", ...wanted], killAt(step, moment, nth)).result;
    expect(findImpoliteness(killed)).toEqual([]);
    expect(killed.signal, killed.stderr).toBe("SIGKILL");

    if (next === "fetch") {
      const { results } = JSON.parse((await opened.here("fetch", ...wanted, "--json")).stdout);
      // A page whose answer was lost with the process may be in doubt, and was charged once.
      const outcomes = results.map(({ outcome }: { outcome: string }) => outcome);
      expect(outcomes.filter((outcome: string) => !["stored", "bought", "in_doubt"].includes(outcome))).toEqual([]);
    }
    await opened.here("run");
    expect(opened.sandbox.audit().charges).toHaveLength(BUDGET_PAGES);
    const rules = { extraCharges: new Map(), areDoubtsCharged: true };
    expect(compareAccounts(opened.sandbox, opened.ledgerFile, rules)).toEqual([]);
    expect(compareReports(opened.sandbox, opened.ledgerFile)).toEqual([]);
    const open = readPurchases(opened.ledgerFile).filter(({ state }) => state === "reserved" || state === "started");
    expect(open).toEqual([]);
    expect((await opened.here("audit")).code).toBe(0);
  },
);
