/** Promise 7: what was not bought, or ended early, says why. */
import { DOUBT_REASONS, RELEASE_REASONS } from "../../purchase/purchase.ts";
import type { Violation } from "../ledger-reports.ts";
import type { Connection } from "../sqlite/connection.ts";
import { findBrokenRows } from "./broken-rows.ts";

function toList(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(", ");
}

const QUERIES = [
  `SELECT format('purchase %d is released without a known reason', id) FROM purchase WHERE state = 'released' AND coalesce(reason, '') NOT IN (${toList(RELEASE_REASONS)})`,
  `SELECT format('purchase %d is in doubt without a known reason', id) FROM purchase WHERE state = 'in_doubt' AND coalesce(reason, '') NOT IN (${toList(DOUBT_REASONS)})`,
  "SELECT format('the walk of %s in run %s was cut without a warning', s.host, r.name) FROM run_site rs JOIN run r ON r.id = rs.run_id JOIN site s ON s.id = rs.site_id WHERE rs.walk_ended = 'cut' AND coalesce(rs.walk_warning, '') = ''",
  "SELECT format('%s was stopped in run %s without a word', s.host, r.name) FROM run_site rs JOIN run r ON r.id = rs.run_id JOIN site s ON s.id = rs.site_id WHERE rs.stop IS NOT NULL AND rs.stop_detail IS NULL",
];

export function auditRecordedReasons(db: Connection): Violation[] {
  return findBrokenRows(db, 7, QUERIES);
}
