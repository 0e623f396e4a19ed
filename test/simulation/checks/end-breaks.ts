/** Each rule that is held at the end, with something that breaks it after the last commit. */
import { type CheckedWorld, END, urlOf } from "./checked-world.ts";
import type { EndState } from "./evidence.ts";

export interface EndBreak {
  readonly rule: string;
  readonly what: string;
  readonly damage: string | ((world: CheckedWorld) => unknown);
  /** What else is done to the file. */
  readonly sql?: string;
  readonly end?: Partial<EndState>;
}

const FIFTH_PAGE = { ...END, catalog: [...END.catalog, { url: urlOf(5), lastMod: null }] };

export const END_BREAKS: readonly EndBreak[] = [
  {
    rule: "balance-is-the-sum",
    what: "a week's balance larger by one micro",
    damage:
      "UPDATE balance SET settled_micros = settled_micros + 1 WHERE scope = 'site:news.example' AND period = 'week:2026-W47'",
  },
  {
    rule: "balance-is-the-sum",
    what: "a balance that is missing",
    damage: "DELETE FROM balance WHERE scope = 'run:run_1'",
  },
  {
    rule: "balance-is-the-sum",
    what: "a balance of nothing",
    damage: "INSERT INTO balance VALUES ('all', 'day:1999-01-01', 'USD', 1, 0, 0, 0, 0, 0, 0, 0)",
  },

  {
    rule: "charge-is-accounted",
    what: "a charge settled at another amount",
    damage: "UPDATE purchase SET charged_micros = 9999 WHERE id = 1",
  },
  {
    rule: "charge-is-accounted",
    what: "a charge that is released",
    damage: "UPDATE purchase SET state = 'released' WHERE id = 4",
  },
  {
    rule: "resolved-by-somebody",
    what: "a resolution that nobody made",
    damage: ({ evidence }) => {
      evidence.operations = evidence.operations.filter(({ kind }) => kind === "use");
    },
  },
  {
    rule: "row-is-as-committed",
    what: "a purchase moved to another day",
    damage: "UPDATE purchase SET reserved_at = reserved_at - 1 WHERE id = 1",
  },

  { rule: "content-stays", what: "content that is gone", damage: "DELETE FROM content WHERE purchase_id = 1" },
  {
    rule: "newest-is-stored",
    what: "content that its page does not hold",
    damage: "UPDATE page SET held_purchase_id = NULL WHERE id = 1",
  },

  { rule: "every-use-is-reported", what: "uses that never arrived", damage: ({ account }) => account.reports.pop() },
  {
    rule: "every-use-is-reported",
    what: "a use that was never recorded",
    damage: "DELETE FROM use WHERE kind = 'use'",
  },
  {
    rule: "batch-is-frozen",
    what: "a settled report with other bytes",
    damage: "UPDATE usage_batch SET body = CAST(body || ' ' AS BLOB) WHERE id = 1",
  },
  {
    rule: "line-is-its-uses",
    what: "a line that reports more than its uses",
    damage: "UPDATE usage_entry SET times = times + 1 WHERE id = 1",
  },
  {
    rule: "use-is-as-its-batch",
    what: "a use rejected by a batch that was accepted",
    damage: "UPDATE use SET state = 'rejected' WHERE id = 1",
  },
  {
    rule: "rejected-is-listed",
    what: "a rejected use that nobody is told of",
    damage: "UPDATE use SET state = 'rejected' WHERE id = 1",
  },
  {
    rule: "rejected-alone",
    what: "a use rejected that the gateway would take",
    damage: "UPDATE use SET state = 'rejected' WHERE id = 1",
  },
  {
    rule: "one-fetch-a-purchase",
    what: "a fetch recorded twice",
    damage: "UPDATE use SET kind = 'fetch', purchase_id = 1 WHERE kind = 'use'",
  },
  {
    rule: "charged-by-receipt",
    what: "a use charged otherwise than its receipt says",
    damage: "UPDATE use SET charged_micros = charged_micros + 1 WHERE billed = 1",
  },
  {
    rule: "use-is-recorded-once",
    what: "an operator's use that is lost",
    damage: "UPDATE use SET times = 1 WHERE kind = 'use'",
  },
  {
    rule: "use-is-recorded-once",
    what: "an operator's use that is there twice",
    damage: "UPDATE use SET times = 4 WHERE kind = 'use'",
  },

  {
    rule: "no-run-goes-on",
    what: "a run that goes on",
    damage: "UPDATE run SET state = 'running', ended_at = NULL WHERE id = 1",
    end: { interruptedAllowed: true },
  },
  {
    rule: "no-run-goes-on",
    what: "a run that should have been resumed",
    damage: "UPDATE run SET state = 'failed' WHERE id = 1",
  },
  {
    rule: "nothing-stays-reserved",
    what: "a purchase that stays reserved",
    damage: "UPDATE purchase SET state = 'reserved', ended_at = NULL WHERE id = 3",
  },
  {
    rule: "no-batch-is-left",
    what: "a batch that nobody carries out",
    damage: "INSERT INTO batch (run_id, site_id, stage, state, ready_at) VALUES (1, 1, 'quote', 'ready', 0)",
  },
  {
    rule: "no-candidate-is-left",
    what: "a quoted page that nobody decides",
    damage:
      "INSERT INTO candidate (run_id, page_id, site_id, rank, cost_micros, age, url) VALUES (1, 1, 1, 0, 0, 0, 'https://site0.example/0')",
  },
  {
    rule: "outbox-is-empty",
    what: "a report without an answer",
    damage: "UPDATE usage_batch SET state = 'needs_reconcile' WHERE id = 1",
  },
  {
    rule: "outbox-is-empty",
    what: "a use that waits for its report",
    damage: "UPDATE use SET state = 'pending', entry_id = NULL WHERE id = 1",
  },
  { rule: "no-protest", what: "a late protest", damage: ({ account }) => account.protests.push("another user agent") },

  {
    rule: "allowed-page-is-stored",
    what: "an allowed page that nobody bought",
    damage: ({ account }) => {
      account.rates = new Map([...account.rates, [urlOf(5), account.rates.get(urlOf(1)) ?? []]]);
    },
    end: FIFTH_PAGE,
  },
  {
    rule: "allowed-page-is-stored",
    what: "a site given up although pages outside its forbidden section are listed",
    sql: "UPDATE run_site SET stop = 'not_enabled', stop_detail = '5 refused'",
    damage: ({ account }) => {
      account.rates = new Map([...account.rates, [urlOf(5), account.rates.get(urlOf(1)) ?? []]]);
    },
    end: FIFTH_PAGE,
  },
  { rule: "allowed-page-is-stored", what: "a page refused by nobody", damage: "", end: { forbidden: new Set() } },
  {
    rule: "site-is-walked",
    what: "a site that the last run left out",
    damage: "UPDATE page SET held_purchase_id = NULL, held_intent = NULL; DELETE FROM run_site WHERE run_id = 3",
  },
];
