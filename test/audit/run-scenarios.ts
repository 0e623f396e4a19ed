/** Ledgers of runs that died, were taken over, interrupted or resumed. They are filled first, because a new run takes over dead ones. */
import type { Ledger } from "../../src/ledger/ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { createContent } from "../doubles/ledger-shop.ts";
import {
  begin,
  decideBatch,
  leaseOne,
  openAcquire,
  resumeRun,
  start,
  toEntry,
  toSettlement,
  toSite,
  walkPage,
} from "../doubles/ledger-steps.ts";
import { beginLongCrawl, NOON } from "./crawling.ts";
import type { Scenario } from "./scenarios.ts";

const HOUR_MS = 3_600_000;

async function buyOne(ledger: Ledger, runId: string, path: string, now: number): Promise<void> {
  const host = "heir.example";
  await walkPage(ledger, { entries: [toEntry(path, {}, host)], runId, now });
  await decideBatch(ledger, { runId, now });
  const { leaseId, purchases } = await openAcquire(ledger, { runId, now });
  for (const { purchaseId, url } of purchases) {
    await start(ledger, leaseId, purchaseId, now);
    await ledger.settlePurchase(toSettlement(purchaseId, { now, content: createContent(url) }));
  }
  await ledger.finishAcquireBatch(leaseId);
}

export const RUN_SCENARIOS: readonly Scenario[] = [
  {
    name: "a run that died and was taken over, by one that was interrupted later and is at work again",
    async fill(ledger) {
      const host = "died.example";
      const sites = { sites: [toSite({ host })], configured: [toSite({ host })] };
      const longAgo = NOON - HOUR_MS;
      await begin(ledger, { ...sites, which: { kind: "fresh" }, runId: "died", now: longAgo });
      await walkPage(ledger, { entries: [toEntry("/k", {}, host)], runId: "died", now: longAgo });
      await decideBatch(ledger, { runId: "died", now: longAgo });
      await begin(ledger, {
        ...sites,
        which: { kind: "fresh" },
        runId: "successor",
        process: "here:2:b",
        now: NOON - 9_000,
      });
      const now = NOON - 5_000;
      await ledger.endRun({ runId: "successor", state: "interrupted", reason: "SIGINT", now, process: "here:2:b" });
      await begin(ledger, { ...sites, which: { kind: "interrupted" }, process: "here:3:c", now: NOON });
    },
  },
  {
    name: "a run that was interrupted, and one that was reopened after a limit had stopped its site",
    async fill(ledger) {
      await beginLongCrawl(ledger, "again", NOON, "again.example");
      await ledger.stopSite({ runId: "again", host: "again.example", stop: "failed", detail: "a bad page", now: NOON });
      await ledger.endRun({ runId: "again", state: "failed", reason: "a bad page", now: NOON });
      await resumeRun(ledger, { configured: [toSite({ host: "again.example" })] }, "again");
      await leaseOne(ledger, "acquire", { runId: "again" });
      await beginLongCrawl(ledger, "cut", NOON, "cut.example");
      await ledger.stopSite({
        runId: "cut",
        host: "cut.example",
        stop: "max_duration",
        detail: "time is up",
        now: NOON,
      });
      await ledger.endRun({ runId: "cut", state: "interrupted", reason: "SIGINT", now: NOON });
    },
  },
  {
    name: "a run that took over what a dead one had bought, and its limits",
    async fill(ledger) {
      const host = "heir.example";
      const sites = { sites: [toSite({ host })], configured: [toSite({ host })] };
      const limits = { maxPages: 2, maxSpend: { micros: toMicros(20_000), currency: "USD" }, maxDurationMs: null };
      await begin(ledger, { ...sites, limits, which: { kind: "fresh" }, runId: "ancestor", now: NOON - HOUR_MS });
      await buyOne(ledger, "ancestor", "/first", NOON - HOUR_MS);
      const process = "here:2:b";
      await begin(ledger, { ...sites, which: { kind: "interrupted" }, runId: "heir", process, now: NOON });
      await buyOne(ledger, "heir", "/second", NOON);
      await ledger.endRun({ runId: "heir", state: "completed", reason: null, now: NOON, process });
    },
  },
];
