/** Ledgers of runs that died, were taken over, interrupted or resumed. They are filled first, because a new run takes over dead ones. */
import { begin, decideBatch, leaseOne, resumeRun, toEntry, toSite, walkPage } from "../doubles/ledger-steps.ts";
import { beginLongCrawl, NOON } from "./crawling.ts";
import type { Scenario } from "./scenarios.ts";

const HOUR_MS = 3_600_000;

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
];
