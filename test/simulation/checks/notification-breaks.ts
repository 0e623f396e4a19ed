/** Each rule about notifications, with something that breaks it. */
import { NOON } from "../../doubles/ledger-shop.ts";
import { urlOf } from "./checked-world.ts";
import type { EndBreak } from "./end-breaks.ts";
import type { StepBreak } from "./step-breaks.ts";

const hint = (page: number, state: "waiting" | "entered" | "done") => `
  INSERT INTO hint (subscription, site_id, url, wire_url, kind, timestamp, at, changed_after, source, received_at, state, run_id, ended_at)
  VALUES ('main', 1, '${urlOf(page)}', '${urlOf(page)}', 'updated', '2026-11-18T12:00:00Z', ${NOON}, ${NOON}, 'delivery', ${NOON}, '${state}',
    ${state === "waiting" ? "NULL" : 1}, ${state === "done" ? NOON : "NULL"})`;

export const NOTIFICATION_BREAKS: readonly StepBreak[] = [
  {
    rule: "hint-stays",
    what: "a notification that is gone",
    at: "reserve",
    damage: (world) => {
      world.tamper(hint(3, "waiting"));
      world.check();
      world.tamper("DELETE FROM hint");
    },
  },
  {
    rule: "entered-run-goes-on",
    what: "a notification in a run that is over",
    at: "end the run",
    damage: hint(3, "entered"),
  },
  {
    rule: "done-hint-is-decided",
    what: "a notification that is done, of a page that was neither bought nor denied",
    at: "release",
    damage: hint(3, "done"),
  },
  {
    rule: "held-version-is-not-notified",
    what: "a version that is held and was bought for a notification",
    at: "settle again",
    damage: `
      UPDATE run SET key = 'webhook:news.example:2026-11-18' WHERE name = 'run_3';
      CREATE TABLE copied AS SELECT * FROM content WHERE purchase_id = 6;
      UPDATE copied SET purchase_id = 2;
      INSERT INTO content SELECT * FROM copied; DROP TABLE copied`,
  },
];

export const NOTIFICATION_END_BREAKS: readonly EndBreak[] = [
  {
    rule: "notification-is-known",
    what: "a delivery that was answered and is nowhere",
    damage: ({ evidence }) => {
      const record = { lastAttempt: NOON };
      evidence.notices = [{ url: urlOf(1), kind: "updated", timestamp: "2026-11-18", record, isAnswered: true }];
    },
  },
  {
    rule: "notification-is-known",
    what: "a notification that the records show and no reading found",
    damage: ({ evidence }) => {
      const record = { lastAttempt: NOON };
      evidence.recordsReadFrom = NOON;
      evidence.notices = [{ url: urlOf(1), kind: "updated", timestamp: "2026-11-18", record, isAnswered: false }];
    },
  },
  {
    rule: "no-due-hint-is-left",
    what: "a notification that nobody works on",
    sql: hint(3, "waiting"),
    damage: ({ evidence }) => {
      evidence.noticesSettledAt = NOON;
    },
  },
];
