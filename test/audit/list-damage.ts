/** Damage to lists, plans and rights, by hand. */
import type { NamedDamage } from "./named-damage.ts";

const run = (name: string) => `(SELECT id FROM run WHERE name = '${name}')`;
const ofList = (table: string) => `${table} WHERE run_id = ${run("run_of_list")}`;
const listed = "run_id = (SELECT id FROM run WHERE name = 'run_of_list') AND line = 1";

export const LIST_DAMAGE: readonly NamedDamage[] = [
  [
    "a page that cost more than its list allows",
    `UPDATE listed_page SET max_price_micros = 9999 WHERE ${listed}`,
    2,
    /^purchase \d+ sets aside 10000 micros USD, and its list allows 9999 USD$/,
  ],
  [
    "a page that was bought under another licence than its plan names",
    `UPDATE listed_page SET license_cuid = 'another' WHERE ${listed}`,
    2,
    /^purchase \d+ is under \w+, and its plan names \w+$/,
  ],
  [
    "a page that was bought and is not in the list",
    `DELETE FROM listed_page WHERE ${listed}`,
    2,
    /^purchase \d+ is of a page that the list of its run does not name$/,
  ],
  [
    "a page that its run has seen and its list does not name",
    `DELETE FROM listed_page WHERE ${listed}`,
    6,
    /^run run_of_list counts 2 pages of news.example as seen, its list has 1$/,
  ],
  [
    "a list that was read less far than its pages",
    `UPDATE run_list SET lines_read = 3 WHERE run_id = ${run("run_of_list")}`,
    2,
    /^run run_of_list has read 3 lines of its list, and accounts for 4$/,
  ],
  [
    "a list whose end nobody read",
    `UPDATE run_list SET is_read = 0 WHERE run_id = ${run("run_of_list")}`,
    2,
    /^run run_of_list is completed, and its list was not read to its end$/,
  ],
  [
    "lines that were left out and are not counted",
    `DELETE FROM ${ofList("rejected_line_total")}`,
    2,
    /^run \d+ left out 0 lines of its list as not_json, and shows 1$/,
  ],
  [
    "a page that was bought since its plan was made",
    `INSERT INTO run_list (run_id, source, planned_at, planned_after, digest) VALUES (${run("second")}, 'plan', 1, 0, zeroblob(32))`,
    3,
    /^purchase \d+ bought page \S+ from the plan of run second, and purchase \d+ had bought it since the plan was made$/,
  ],
  [
    "rights that were prolonged",
    `UPDATE purchase SET valid_until_at = valid_until_at + 86400000 WHERE run_id = ${run("run_of_plan")}`,
    2,
    /^purchase \d+ \(and 0 more\) says that its license ends at \d+, and its rates said otherwise$/,
  ],
  [
    "a candidate that costs less than was offered",
    "UPDATE candidate SET cost_micros = 1",
    6,
    /^candidate \S+ of run \d+ is to cost 1 micros USD, for which nothing was offered$/,
  ],
];
