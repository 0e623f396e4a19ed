/**
 * Promise 2, what was asked for: a run is of one kind, and that says where its purchases come from. A run that was asked for by a list, a plan or a
 * fetch has that list (`lists.ts` and `within-policy.ts` compare its pages); `hints.ts` has the runs of notifications; what a slot began walks the
 * catalog of the slot's site, and a slot that works on it says which run it is.
 */
import { checksOf } from "./audited.ts";

const QUERIES = [
  "SELECT format('run %s buys for a %s, and has no list', r.name, r.kind) FROM run r WHERE r.kind IN ('list', 'plan', 'fetch') AND NOT EXISTS (SELECT 1 FROM run_list l WHERE l.run_id = r.id)",
  "SELECT format('run %s buys for a %s, and its list is a %s', r.name, r.kind, l.source) FROM run_list l JOIN run r ON r.id = l.run_id WHERE l.source <> r.kind AND r.kind <> 'planning'",
];

const SLOTS = [
  "SELECT format('a slot of %s is run %s, which is a %s', t.schedule, r.name, r.kind) FROM slot t JOIN run r ON r.id = t.run_id WHERE r.kind <> 'walk'",
  `SELECT format('a slot of %s is run %s, which is not of its site', t.schedule, r.name) FROM slot t JOIN run r ON r.id = t.run_id
   WHERE NOT EXISTS (SELECT 1 FROM run_site rs JOIN site s ON s.id = rs.site_id WHERE rs.run_id = r.id AND t.schedule = 'site:' || s.host)`,
];

export const ASKED_FOR = [...checksOf(2, QUERIES), ...checksOf(6, SLOTS)];
