/** Promise 7: what was not bought, or ended early, says why. */
import { DOUBT_REASONS, RELEASE_REASONS } from "../../../purchase/purchase.ts";
import { checksOf } from "./audited.ts";

function toList(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(", ");
}

const SITES = "run_site rs JOIN run r ON r.id = rs.run_id JOIN site s ON s.id = rs.site_id";

export const RECORDED_REASONS = checksOf(7, [
  `SELECT format('purchase %d is released without a known reason', id) FROM purchase WHERE state = 'released' AND coalesce(reason, '') NOT IN (${toList(RELEASE_REASONS)})`,
  `SELECT format('purchase %d is in doubt without a known reason', id) FROM purchase WHERE state = 'in_doubt' AND coalesce(reason, '') NOT IN (${toList(DOUBT_REASONS)})`,
  `SELECT format('purchase %d was given up for a reason that is none: %s', id, reason) FROM purchase WHERE state = 'settled' AND reason NOT IN (${toList([...DOUBT_REASONS, ...RELEASE_REASONS])})`,
  "SELECT format('purchase %d is %s, and a reason is given for its end', id, state) FROM purchase WHERE state IN ('reserved', 'started') AND reason IS NOT NULL",
  `SELECT format('the walk of %s in run %s was cut without a warning', s.host, r.name) FROM ${SITES} WHERE rs.walk_ended = 'cut' AND coalesce(rs.walk_warning, '') = '' AND r.kind IN ('walk', 'planning') AND r.id NOT IN (SELECT run_id FROM run_list)`,
  `SELECT format('the walk of %s in run %s was not cut, and has a warning', s.host, r.name) FROM ${SITES} WHERE rs.walk_ended IS NOT 'cut' AND rs.walk_warning IS NOT NULL`,
  `SELECT format('%s was not walked in run %s, which has a list, and there is a warning of its walk', s.host, r.name) FROM ${SITES} JOIN run_list l ON l.run_id = r.id WHERE rs.walk_warning IS NOT NULL`,
  `SELECT format('%s was stopped in run %s without a word', s.host, r.name) FROM ${SITES} WHERE rs.stop IS NOT NULL AND coalesce(rs.stop_detail, '') = ''`,
  `SELECT format('%s was not stopped in run %s, and words are given for it', s.host, r.name) FROM ${SITES} WHERE rs.stop IS NULL AND rs.stop_detail IS NOT NULL`,
  "SELECT format('page %s was denied by a plan, which decides nothing', g.url) FROM denial d JOIN run r ON r.id = d.run_id JOIN page g ON g.id = d.page_id WHERE r.kind = 'planning'",
  "SELECT format('page %s was denied in run %s by a rule, and no rule is named', g.url, r.name) FROM denial d JOIN run r ON r.id = d.run_id JOIN page g ON g.id = d.page_id WHERE (d.reason = 'denied_by_rule' AND d.rule_index IS NULL) OR d.rule_index < 0 OR d.policy_name = ''",
  "SELECT format('page %s was denied in run %s as %s, and a rule is named', g.url, r.name, d.reason) FROM denial d JOIN run r ON r.id = d.run_id JOIN page g ON g.id = d.page_id WHERE d.reason IN ('no_rule_matched', 'not_licensable', 'no_usable_rate', 'not_quoted', 'quote_refused') AND d.rule_index IS NOT NULL",
]);
