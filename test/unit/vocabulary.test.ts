/** docs/vocabulary.md against the program: each word that the program says is in its table, and no other word is. */
import { describe, expect, test } from "vitest";
import { ACT_KINDS } from "../../src/act/act.ts";
import { FETCH_OUTCOMES } from "../../src/agent/fetch/fetch-report.ts";
import { OWN_CONCLUSIONS } from "../../src/agent/reports/conclusion.ts";
import { SITE_STATES } from "../../src/agent/sites/sites-report.ts";
import { ALERT_KINDS } from "../../src/alert/alert.ts";
import { PAGE_URL_FAULTS } from "../../src/catalog/page-url.ts";
import { CALLS, FAILURES } from "../../src/gateway/repeatable.ts";
import { ALERT_DELIVERY_STATES } from "../../src/ledger/alert-ledger.ts";
import { REPORT_STATES } from "../../src/ledger/report-reports.ts";
import { RUN_TRIGGERS, SITE_STOPS } from "../../src/ledger/run-ledger.ts";
import { RUN_STATE_FILTERS } from "../../src/ledger/run-reports.ts";
import { SLOT_STATES } from "../../src/ledger/schedule-ledger.ts";
import { WORKER_STATES } from "../../src/ledger/service-ledger.ts";
import { RESOLUTION_OUTCOMES, RESOLUTION_SOURCES } from "../../src/ledger/sqlite/schema/open-items.ts";
import { OPEN_ITEM_KINDS } from "../../src/ledger/usage-ledger.ts";
import { LINE_FAULTS } from "../../src/list/line-faults.ts";
import { PLAN_REFUSALS } from "../../src/plan/plan-refusal.ts";
import { CLASS_OF_DENIAL, DENIAL_CLASSES } from "../../src/policy/denial-class.ts";
import { DENIAL_REASONS } from "../../src/policy/verdict.ts";
import { DOUBT_REASONS, PURCHASE_STATES, RELEASE_REASONS } from "../../src/purchase/purchase.ts";
import { OFFER_FLAWS } from "../../src/rates/offers.ts";
import { RUN_KINDS } from "../../src/run/kinds.ts";
import { ENDED_BY } from "../../src/run/run-state.ts";
import { WAIT_PLACES } from "../../src/run/wait.ts";
import { DELIVERY_OUTCOMES } from "../../src/serve/webhooks/delivery-outcomes.ts";
import { USE_KINDS, USE_STATES } from "../../src/usage/use.ts";
import { codeIn, read, tableBelow } from "../tidy/repository.ts";

const vocabulary = read("docs/vocabulary.md");
const headings = [...vocabulary.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading);

const WORDS: Readonly<Record<string, readonly string[]>> = {
  "Run states": RUN_STATE_FILTERS,
  "Run triggers": RUN_TRIGGERS,
  "Kinds of runs": RUN_KINDS,
  "Who ended a run": ENDED_BY,
  "Outcomes of a fetch": FETCH_OUTCOMES,
  "Slot states": SLOT_STATES,
  "Denial reasons": DENIAL_REASONS,
  "Classes of denials": DENIAL_CLASSES,
  "Conclusions of explain": OWN_CONCLUSIONS,
  "Refusals of plans": PLAN_REFUSALS,
  "Flaws of rates": OFFER_FLAWS,
  "Purchase states": PURCHASE_STATES,
  "Doubt reasons": DOUBT_REASONS,
  "Release reasons": RELEASE_REASONS,
  "Site states": SITE_STATES,
  "Site stops": SITE_STOPS,
  "Kinds of uses": USE_KINDS,
  "States of a use": USE_STATES,
  "States of a report": REPORT_STATES,
  "Kinds of open items": OPEN_ITEM_KINDS,
  Resolutions: [...RESOLUTION_OUTCOMES, ...RESOLUTION_SOURCES],
  "Kinds of acts": ACT_KINDS,
  // `unreadable`: the gateway client could not read the entry, so there is no address to check.
  "Rejected catalog entries": [...PAGE_URL_FAULTS, "unreadable"],
  "Bad lines of a list": LINE_FAULTS,
  "Calls of the gateway": CALLS,
  "Reasons of retries": FAILURES,
  "Outcomes of webhook deliveries": DELIVERY_OUTCOMES,
  "States of workers": WORKER_STATES,
  "Kinds of alerts": ALERT_KINDS,
  "What is waited for": WAIT_PLACES,
  "States of an alert's delivery": ALERT_DELIVERY_STATES,
};

describe("docs/vocabulary.md", () => {
  test.each(Object.entries(WORDS))(
    "%s: the words of the table are those of the program, in order",
    (heading, words) => {
      const rows = tableBelow(vocabulary, `## ${heading}`);
      expect(rows.map(([word = ""]) => codeIn(word)[0])).toEqual(words);
      // A table of two columns is one of words after which there is nothing to do.
      const unfinished = rows.filter(([, meaning = "", advice]) => !/\.$/.test(meaning) || advice === "");
      expect(unfinished, "rows without a sentence, or without what to do").toEqual([]);
      expect(new Set(rows.map(({ length }) => length)).size).toBe(1);
    },
  );

  test("Classes of denials: each class names its reasons, in order", () => {
    const reasons = tableBelow(vocabulary, "## Classes of denials").map(([, meaning = ""]) => codeIn(meaning));
    expect(reasons).toEqual(
      DENIAL_CLASSES.map((one) => DENIAL_REASONS.filter((reason) => CLASS_OF_DENIAL[reason] === one)),
    );
  });

  test("has no table that nothing is compared with", () => {
    expect(headings).toEqual([...Object.keys(WORDS), "Terms"]);
  });
});
