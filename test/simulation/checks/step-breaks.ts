/** Each rule that is held at every commit, with something that breaks it and nothing before it. */
import { expect } from "vitest";
import { NOON } from "../../doubles/ledger-shop.ts";
import { type CheckedWorld, charge, deliver, keep, limited, type Moment, SETTINGS, urlOf } from "./checked-world.ts";

export interface StepBreak {
  readonly rule: string;
  readonly what: string;
  /** The break comes after this moment, before it is checked. */
  readonly at: Moment;
  /** Moments that are left out. */
  readonly without?: readonly Moment[];
  /** Checked once in between, where the break needs a healthy commit before it. */
  readonly after?: "checked";
  readonly damage: string | ((world: CheckedWorld) => unknown);
}

/** Another purchase of the same page, reserved. */
const COPY = (id: number) => `
  DROP INDEX purchase_open_page; CREATE TABLE copied AS SELECT * FROM purchase WHERE id = ${id};
  UPDATE copied SET id = 90, state = 'reserved', started_at = NULL, ended_at = NULL, token = NULL, token_expires_at = NULL, reason = NULL,
    document_number = NULL;
  INSERT INTO purchase SELECT * FROM copied; DROP TABLE copied;
  UPDATE balance SET reserved_micros = reserved_micros + 10000 WHERE scope = 'all' AND period = 'total';`;

const OTHER_LICENSE = `
  INSERT INTO license (id, fingerprint, license_type, cuid, permissions) VALUES (90, 'x', 'CUSTOM_LICENSE', 'cuid-custom', '[]');
  UPDATE purchase SET license_id = 90, rule_index = 1, quoted_micros = 20000 WHERE id = 1`;

export const STEP_BREAKS: readonly StepBreak[] = [
  {
    rule: "exposure-never-grows",
    what: "a fee that was not set aside",
    at: "charge",
    after: "checked",
    damage: (world) => keep(world, 1, { fee: 700 }),
  },
  {
    rule: "fits-every-budget",
    what: "a budget smaller by one micro",
    at: "reserve",
    damage: ({ evidence }) => {
      evidence.settings = [limited(39_999)];
    },
  },
  {
    rule: "begins-in-no-past-month",
    what: "a run that began after one of a later month",
    at: "reserve",
    damage: `INSERT INTO run (name, kind, state, started_at, purchases_after) VALUES ('late', 'walk', 'running', ${NOON - 40 * 86_400_000}, 0)`,
  },
  {
    rule: "indexing-by-rule",
    what: "a page indexed under no rule",
    at: "reserve to index",
    damage: "UPDATE purchase SET rule_index = 1 WHERE intent = 'indexing'",
  },
  {
    rule: "is-the-policys-choice",
    what: "a rate in a currency without a budget",
    at: "reserve",
    damage: ({ evidence }) => {
      evidence.settings = [{ ...SETTINGS, from: NOON, budgets: [] }];
    },
  },
  {
    rule: "fits-max-spend",
    what: "a run's maxSpend smaller by one micro",
    at: "reserve",
    damage: "UPDATE run SET max_spend_micros = 39999, max_spend_currency = 'USD'",
  },
  {
    rule: "fits-max-pages",
    what: "a run's maxPages smaller by one page",
    at: "reserve",
    damage: "UPDATE run SET max_pages = 3",
  },
  {
    rule: "overcharge-halts-its-site",
    what: "a page that is bought after an overcharge",
    at: "charge",
    damage: async (world) => {
      overcharge(world, 12_000);
      await keep(world, 1, { charge: 12_000 });
      expect(world.check()).toBeNull();
      world.tamper(COPY(1));
    },
  },
  {
    rule: "use-is-set-aside",
    what: "money set aside for a report that costs nothing",
    at: "reserve",
    damage: "UPDATE purchase SET use_reserve_micros = 1 WHERE id = 1",
  },
  {
    rule: "balance-is-the-sum",
    what: "a balance smaller by one micro",
    at: "reserve",
    damage: "UPDATE balance SET reserved_micros = reserved_micros - 1 WHERE scope = 'all' AND period = 'total'",
  },

  {
    rule: "names-its-origin",
    what: "a purchase of no run",
    at: "reserve",
    damage: "UPDATE purchase SET run_id = 99 WHERE id = 1",
  },
  {
    rule: "follows-its-policy",
    what: "another format than the policy's",
    at: "reserve",
    damage: "UPDATE purchase SET format = 'html' WHERE id = 1",
  },
  {
    rule: "is-the-policys-choice",
    what: "a price that the gateway never had",
    at: "reserve",
    damage: "UPDATE purchase SET quoted_micros = 9999 WHERE id = 1",
  },
  {
    rule: "is-the-policys-choice",
    what: "another rule than the first that matches",
    at: "reserve",
    damage: "UPDATE purchase SET rule_index = 1 WHERE id = 1",
  },
  { rule: "is-the-policys-choice", what: "a rate that is allowed but dearer", at: "reserve", damage: OTHER_LICENSE },
  {
    rule: "token-carries-the-quote",
    what: "a token with a cap above the quote",
    at: "start",
    damage: ({ account }) => {
      account.tokens[0] = { ...token(account, 0), capMicros: 10_001 };
    },
  },
  {
    rule: "token-carries-the-quote",
    what: "a token for another page",
    at: "start",
    damage: ({ account }) => {
      account.tokens[0] = { ...token(account, 0), url: urlOf(2) };
    },
  },
  {
    rule: "decision-is-a-fact",
    what: "a decision that is edited",
    at: "start",
    damage: "UPDATE purchase SET policy_name = 'other' WHERE id = 1",
  },

  {
    rule: "started-before-sent",
    what: "a request before its purchase is started",
    at: "start",
    damage: ({ account }) => {
      account.contentRequests.push({
        token: "token-1",
        url: urlOf(1),
        spelling: urlOf(1),
        at: NOON,
        status: 200,
      });
    },
  },
  {
    rule: "charge-has-a-purchase",
    what: "a charge without a purchase",
    at: "start",
    damage: (world) => {
      charge(world, 4);
      world.account.contentRequests = [];
    },
  },
  {
    rule: "begins-reserved",
    what: "a purchase that was never reserved",
    at: "reserve",
    damage: "UPDATE purchase SET state = 'in_doubt', ended_at = 1, reason = 'x' WHERE id = 1",
  },
  { rule: "doubt-is-held", what: "a page bought again while it is in doubt", at: "doubt", damage: COPY(2) },
  { rule: "one-open-purchase", what: "a page bought twice at once", at: "start", damage: COPY(1) },
  {
    rule: "legal-transition",
    what: "a settled purchase that is started again",
    at: "release",
    damage:
      "UPDATE purchase SET state = 'started', ended_at = NULL, token = 'token-1', token_expires_at = 1 WHERE id = 1",
  },
  {
    rule: "settled-was-started",
    what: "a purchase settled that was never started",
    at: "start",
    after: "checked",
    damage: "UPDATE purchase SET state = 'settled', started_at = NULL, ended_at = 1, token = NULL WHERE id = 1",
  },
  {
    rule: "change-has-a-resolution",
    what: "a doubt that goes away by itself",
    at: "doubt",
    after: "checked",
    damage: "UPDATE purchase SET state = 'released' WHERE id = 2",
  },
  {
    rule: "one-token",
    what: "a second token for one purchase",
    at: "start",
    after: "checked",
    damage: ({ account, tamper }) => {
      account.tokens.push({ ...token(account, 0), token: "other" });
      tamper("UPDATE purchase SET token = 'other' WHERE id = 1");
    },
  },
  {
    rule: "token-serves-once",
    what: "one token for two purchases",
    at: "release",
    damage: ({ tamper, check }) => {
      tamper(COPY(3));
      check();
      tamper(
        "UPDATE purchase SET state = 'started', started_at = 1, token = 'token-3', token_expires_at = 1 WHERE id = 90",
      );
    },
  },
  {
    rule: "unchanged-is-not-bought-again",
    what: "a page that is held bought again, with no date to tell a newer version by",
    at: "start the last",
    damage: ({ evidence, tamper }) => {
      const sites = SETTINGS.sites.map((site) => ({ ...site, refresh: "modified" as const }));
      evidence.settings = [{ ...limited(1_000_000), sites }];
      tamper(COPY(1));
    },
  },
  {
    rule: "charged-is-not-released",
    what: "a release after the charge",
    at: "charge",
    damage: ({ ledger }) => ledger.releasePurchase({ purchaseId: 1, reason: "content_refused", detail: "", now: NOON }),
  },
  {
    rule: "charged-is-not-released",
    what: "a charge after the release",
    at: "release",
    after: "checked",
    damage: (world) => charge(world, 3),
  },

  { rule: "settled-has-content", what: "a settlement without content", at: "settle", damage: "DELETE FROM content" },
  {
    rule: "content-is-settled",
    what: "content without a settlement",
    at: "doubt",
    damage: "INSERT INTO content (purchase_id, page_id, content_hash) VALUES (3, 3, 'x')",
  },
  { rule: "fetch-is-a-use", what: "a settlement without its use", at: "settle", damage: "DELETE FROM use" },
  {
    rule: "fetch-is-a-use",
    what: "a settlement with a use of another licence",
    at: "settle",
    damage:
      "INSERT INTO license (id, fingerprint, license_type, cuid, permissions) VALUES (90, 'x', 'CUSTOM_LICENSE', 'x', '[]'); UPDATE use SET license_id = 90",
  },
  {
    rule: "content-was-charged",
    what: "content that the gateway never charged",
    at: "settle",
    without: ["charge"],
    damage: "",
  },
  {
    rule: "content-is-what-was-paid",
    what: "other content than was handed out",
    at: "settle",
    damage: "UPDATE content SET markdown = markdown || '.'",
  },
  {
    rule: "charge-is-the-gateways",
    what: "a charge smaller by one micro",
    at: "settle",
    damage: "UPDATE purchase SET charged_micros = 9999 WHERE id = 1",
  },
  {
    rule: "overcharge-is-flagged",
    what: "a flag without an overcharge",
    at: "settle",
    damage: "UPDATE purchase SET overcharged = 1 WHERE id = 1",
  },
  {
    rule: "content-stays",
    what: "content that changes later",
    at: "settle",
    after: "checked",
    damage: "UPDATE content SET title = 'other'",
  },

  {
    rule: "sent-as-frozen",
    what: "a report that was never frozen",
    at: "freeze",
    damage: (world) => deliver(world, "report-1"),
  },
  {
    rule: "sent-as-frozen",
    what: "a report with another byte than was frozen",
    at: "deliver",
    damage: ({ account }) => {
      account.reports = account.reports.map((report) => ({ ...report, body: `${report.body} ` }));
    },
  },
  {
    rule: "never-reported-twice",
    what: "the same uses accepted twice",
    at: "deliver",
    damage: (world) => deliver(world, "report-1"),
  },
  {
    rule: "batch-is-frozen",
    what: "frozen bytes that change",
    at: "freeze",
    after: "checked",
    damage: "UPDATE usage_batch SET body = CAST(body || ' ' AS BLOB)",
  },
  {
    rule: "batch-state",
    what: "a settled report that is sent again",
    at: "answer",
    after: "checked",
    damage: "UPDATE usage_batch SET state = 'frozen', closed_at = NULL",
  },
  {
    rule: "use-is-a-fact",
    what: "a recorded use that is edited",
    at: "freeze",
    damage: "UPDATE use SET times = 9 WHERE kind = 'use'",
  },
  {
    rule: "use-goes-one-way",
    what: "a reported use that waits for a report again",
    at: "answer",
    after: "checked",
    damage: "UPDATE use SET state = 'pending', entry_id = NULL",
  },

  {
    rule: "nothing-disappears",
    what: "a line of a report that is gone",
    at: "answer",
    after: "checked",
    damage: "DELETE FROM usage_entry WHERE id = (SELECT min(id) FROM usage_entry)",
  },
  {
    rule: "no-protest",
    what: "a request that no gateway understands",
    at: "start",
    damage: ({ account }) => {
      account.protests.push("a token was sent as a key");
    },
  },
];

/** The gateway took more than the token's cap. */
function overcharge({ account, evidence }: CheckedWorld, micros: number): void {
  // The world's own set grows, and rules hold on to it.
  (evidence.overchargedUrls as Set<string>).add(urlOf(1));
  account.charges = account.charges.map((charge) => (charge.url === urlOf(1) ? { ...charge, micros } : charge));
}

function token({ tokens }: CheckedWorld["account"], index: number) {
  return tokens[index] as (typeof tokens)[number];
}
