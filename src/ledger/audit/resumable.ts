/** Promise 6: whatever is unfinished has a batch that a worker can lease, so nothing waits for ever. */
import type { Violation } from "../ledger-reports.ts";
import type { Connection } from "../sqlite/connection.ts";
import { findBrokenRows } from "./broken-rows.ts";

/** A run that is over may have a frontier left to drop, and so may a plan: nothing waits in those. */
const CAN_GO_ON = "r.kind = 'run' AND r.state IN ('running', 'interrupted', 'failed')";

const QUERIES = [
  "SELECT format('purchase %d is %s, and no batch is left to carry it out', p.id, p.state) FROM purchase p WHERE p.ended_at IS NULL AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.id = p.batch_id AND b.stage = 'acquire')",
  "SELECT format('purchase %d is %s, and its run %s is %s', p.id, p.state, r.name, r.state) FROM purchase p JOIN run r ON r.id = p.run_id WHERE p.ended_at IS NULL AND r.state = 'completed'",
  "SELECT format('purchase %d is %s, and has an end', p.id, p.state) FROM purchase p WHERE p.state IN ('reserved', 'started') AND p.ended_at IS NOT NULL",
  `SELECT format('%d pages of run %s wait in batch %d, which does not exist', count(*), r.name, f.batch_id) FROM frontier f JOIN run r ON r.id = f.run_id WHERE f.batch_id IS NOT NULL AND ${CAN_GO_ON} AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.id = f.batch_id) GROUP BY f.run_id, f.batch_id`,
  `SELECT format('%d pages of %s wait in no batch of run %s', count(*), s.host, r.name)
   FROM frontier f JOIN run r ON r.id = f.run_id JOIN page g ON g.id = f.page_id JOIN site s ON s.id = g.site_id
   JOIN run_site rs ON rs.run_id = f.run_id AND rs.site_id = g.site_id
   WHERE f.state = 'waiting' AND f.batch_id IS NULL AND r.state = 'running' AND r.kind = 'run' AND rs.stop IS NULL GROUP BY f.run_id, g.site_id`,
  `SELECT format('the walk of %s in run %s has not ended, and no batch goes on with it', s.host, r.name)
   FROM run_site rs JOIN run r ON r.id = rs.run_id JOIN site s ON s.id = rs.site_id
   WHERE r.state = 'running' AND r.kind = 'run' AND rs.stop IS NULL AND rs.walk_ended IS NULL
     AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.run_id = rs.run_id AND b.site_id = rs.site_id AND b.stage = 'walk')`,
];

export function auditResumable(db: Connection): Violation[] {
  return findBrokenRows(db, 6, QUERIES);
}
