/** Damage to what says what was asked for, and under which limits, by hand. */
import type { NamedDamage } from "./named-damage.ts";

const run = (name: string) => `(SELECT id FROM run WHERE name = '${name}')`;
const slotOf = (name: string, schedule: string) =>
  `INSERT INTO slot (schedule, slot_at, state, run_id, process, first_at, slots, claimed_at, ended_at) VALUES ('${schedule}', 1000, 'done', ${run(name)}, 'host:1', 1000, 1, 1001, 2000)`;

export const ASKED_FOR_DAMAGE: readonly NamedDamage[] = [
  [
    "a walk that is said to buy from a list",
    "UPDATE run SET kind = 'list' WHERE name = 'bought'",
    2,
    /^run bought buys for a list, and has no list$/,
  ],
  [
    "a list that is said to be a plan",
    "UPDATE run SET kind = 'plan' WHERE name = 'run_of_list'",
    2,
    /^run run_of_list buys for a plan, and its list is a list$/,
  ],
  [
    "a plan's page that was bought under the same digest before",
    `UPDATE run_list SET source = 'plan', planned_at = 1, plan_digest = (SELECT plan_digest FROM run_list WHERE run_id = ${run("run_of_plan")}), planned_after = 0 WHERE run_id = ${run("run_of_list")};
     UPDATE purchase SET page_id = (SELECT page_id FROM purchase WHERE run_id = ${run("run_of_list")} ORDER BY id LIMIT 1) WHERE run_id = ${run("run_of_plan")}`,
    3,
    /^purchase \d+ bought page \S+ from the plan of run run_of_plan, and purchase \d+ had bought it since the plan was made$/,
  ],
  [
    "a limit that did not go over",
    "UPDATE run SET max_pages = NULL WHERE name = 'heir'",
    1,
    /^run heir took over run ancestor, whose limits of pages did not go over to it$/,
  ],
  [
    "a largest spend that did not go over",
    "UPDATE run SET max_spend_micros = NULL, max_spend_currency = NULL WHERE name = 'heir'",
    1,
    /^run heir took over run ancestor, whose limits of money did not go over to it$/,
  ],
  [
    "more pages than a limit allows all that continued it",
    "UPDATE run SET max_pages = 1 WHERE name = 'heir'",
    1,
    /^run heir bought 2 pages with those that it took over, and its limit is 1$/,
  ],
  [
    "more money than a limit allows all that continued it",
    "UPDATE run SET max_spend_micros = 19999 WHERE name = 'heir'",
    1,
    /^run heir spent 20000 micros USD with those that it took over, and its limit is 19999$/,
  ],
  [
    "a slot that is the run of another site",
    slotOf("heir", "site:news.example"),
    6,
    /^a slot of site:news.example is run heir, which is not of its site$/,
  ],
  [
    "a slot that is the run of a list",
    slotOf("run_of_list", "site:news.example"),
    6,
    /^a slot of site:news.example is run run_of_list, which is a list$/,
  ],
];
