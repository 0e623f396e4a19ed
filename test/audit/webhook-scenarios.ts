import { admitDue, beginWebhookRun, buyAdmitted, createHint } from "../doubles/hint-driver.ts";
import { DAY_MS, NOON } from "./crawling.ts";
import type { Scenario } from "./scenarios.ts";

const LATER = NOON + 40 * DAY_MS;

/** Notifications, from their arrival to the decision on their page. */
export const WEBHOOK_SCENARIOS: readonly Scenario[] = [
  {
    name: "notifications that were decided, excluded, ignored, and found in the delivery records",
    async fill(ledger) {
      const dated = { at: LATER - 1_000, timestamp: new Date(LATER - 1_000).toISOString() };
      await ledger.recordHints({
        hints: [
          createHint("/w/1", dated),
          createHint("/w/2", { ...dated, kind: "created", source: "history" }),
          createHint("/w/2", { at: LATER - 500, timestamp: "later", source: "delivery", subscription: "other" }),
          createHint("/tag/w", dated),
          createHint("/w/nowhere", { ...dated, host: null, state: "unknown_site", at: null, timestamp: "yesterday" }),
        ],
        now: LATER,
      });
      const run = await beginWebhookRun(ledger, { now: LATER });
      await admitDue(ledger, run, LATER);
      await buyAdmitted(ledger, run, { now: LATER });
    },
  },
  {
    name: "notifications that wait, beside others whose run is at work",
    async fill(ledger) {
      const now = LATER + DAY_MS;
      const dated = { at: now - 1_000, timestamp: new Date(now - 1_000).toISOString() };
      await ledger.recordHints({ hints: [createHint("/w/3", dated), createHint("/w/4", dated)], now });
      await admitDue(ledger, await beginWebhookRun(ledger, { now }), now);
      await ledger.recordHints({ hints: [createHint("/w/5", dated)], now });
    },
  },
];
