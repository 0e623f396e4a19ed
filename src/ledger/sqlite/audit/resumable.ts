/**
 * Promise 6: whatever is unfinished has a batch that a worker can lease, so nothing waits for ever; and a batch is what its rows
 * say, so nothing is done that should not be.
 */
import { checksOf } from "./audited.ts";
import { MET } from "./frontier.ts";

/** What is over has nothing left to do. A plan is never resumed, and is discarded piece by piece. */
const IS_OVER =
  "(r.state NOT IN ('running', 'interrupted', 'failed') OR (r.state <> 'running' AND r.taken_over_by IS NOT NULL))";

const SITES = "run_site rs JOIN run r ON r.id = rs.run_id JOIN site s ON s.id = rs.site_id";

/** Stops that let what is reserved be bought; all others end buying at once. */
const LIMITS = "'budget_exhausted', 'max_pages', 'max_spend', 'max_duration'";

const UNFINISHED = [
  `SELECT format('purchase %d is %s, and no batch is left to carry it out', p.id, p.state) FROM purchase p WHERE p.state IN ('reserved', 'started')
   AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.id = p.batch_id AND b.stage = 'acquire' AND b.run_id = p.run_id AND b.site_id = p.site_id)`,
  `SELECT format('purchase %d is %s, and its run %s is %s', p.id, p.state, r.name, r.state) FROM purchase p JOIN run r ON r.id = p.run_id WHERE p.state IN ('reserved', 'started') AND ${IS_OVER}`,
  "SELECT format('purchase %d is %s, and has an end', p.id, p.state) FROM purchase p WHERE p.state IN ('reserved', 'started') AND p.ended_at IS NOT NULL",
  "SELECT format('purchase %d is %s, and has no end', p.id, p.state) FROM purchase p WHERE p.state NOT IN ('reserved', 'started') AND p.ended_at IS NULL",
  `SELECT format('purchase %d is reserved, and %s was stopped (%s)', p.id, s.host, rs.stop) FROM purchase p JOIN ${SITES} WHERE p.state = 'reserved' AND rs.run_id = p.run_id AND rs.site_id = p.site_id AND rs.stop NOT IN (${LIMITS})`,
  `SELECT format('the walk of %s in run %s has not ended, and no batch goes on with it', s.host, r.name) FROM ${SITES}
   WHERE NOT ${IS_OVER} AND r.kind <> 'planning' AND rs.stop IS NULL AND rs.walk_ended IS NULL
     AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.run_id = rs.run_id AND b.site_id = rs.site_id AND b.stage = 'walk')`,
  "SELECT 'the row of the flusher''s lease is gone: nothing can be reported' WHERE NOT EXISTS (SELECT 1 FROM flusher WHERE id = 1)",
];

/** What one decision made, in one transaction, has all of this in common. */
const DECIDED_TOGETHER = [
  "run_id",
  "site_id",
  "reserved_at",
  "policy_name",
  "intent",
  "format",
  "reports_fetch",
  "retention_ms",
];

const BATCHES = [
  `SELECT format('batch %d is left, and its run %s is %s', b.id, r.name, r.state) FROM batch b JOIN run r ON r.id = b.run_id WHERE ${IS_OVER}`,
  `SELECT format('batch %d goes on with %s in run %s, which was stopped (%s)', b.id, s.host, r.name, rs.stop) FROM ${SITES} JOIN batch b ON b.run_id = rs.run_id AND b.site_id = rs.site_id
   WHERE rs.stop IS NOT NULL AND b.stage IN ('walk', 'quote')`,
  `SELECT format('batch %d goes on with the walk of %s in run %s, which has ended', b.id, s.host, r.name) FROM ${SITES} JOIN batch b ON b.run_id = rs.run_id AND b.site_id = rs.site_id
   WHERE rs.walk_ended IS NOT NULL AND b.stage = 'walk'`,
  `SELECT format('%d batches go on with the walk of %s in run %s', count(*), s.host, r.name) FROM ${SITES} JOIN batch b ON b.run_id = rs.run_id AND b.site_id = rs.site_id
   WHERE b.stage = 'walk' GROUP BY rs.run_id, rs.site_id HAVING count(*) > 1`,
  `SELECT format('batch %d (%s) is of %d rows, and has %d', b.id, b.stage, b.size, coalesce(f.count, 0) + coalesce(p.count, 0)) FROM batch b
   LEFT JOIN (SELECT batch_id, count(*) AS count FROM ${MET} WHERE batch_id IN (SELECT id FROM batch) GROUP BY batch_id) f ON f.batch_id = b.id AND b.stage = 'quote'
   LEFT JOIN (SELECT batch_id, count(*) AS count FROM purchase WHERE reason IS NOT 'token_unused' AND batch_id IN (SELECT id FROM batch) GROUP BY batch_id) p ON p.batch_id = b.id AND b.stage = 'acquire'
   WHERE b.size <> coalesce(f.count, 0) + coalesce(p.count, 0)`,
  `SELECT format('batch %d has the purchases %d to %d, and says %d to %d', b.id, p.first_id, p.last_id, b.first_purchase_id, b.last_purchase_id) FROM batch b
   LEFT JOIN (SELECT batch_id, min(id) AS first_id, max(id) AS last_id FROM purchase GROUP BY batch_id) p ON p.batch_id = b.id AND b.stage = 'acquire'
   WHERE b.first_purchase_id IS NOT p.first_id OR b.last_purchase_id IS NOT p.last_id`,
  "SELECT format('batch %d is leased, and has no fence', id) FROM batch WHERE state = 'leased' AND fence < 1",
  `SELECT format('the purchases of batch %d were not decided together', batch_id) FROM purchase GROUP BY batch_id
   HAVING ${DECIDED_TOGETHER.map((column) => `min(${column}) <> max(${column})`).join(" OR ")}
     OR count(retention_ms) NOT IN (0, count(*))`,
  `SELECT format('%s waits for %d pages in run %s, its batches are of %d', s.host, rs.waiting_pages, r.name, coalesce(sum(b.size), 0)) FROM ${SITES}
   LEFT JOIN batch b ON b.run_id = rs.run_id AND b.site_id = rs.site_id AND b.stage IN ('walk', 'quote', 'acquire') WHERE r.kind <> 'planning' GROUP BY rs.run_id, rs.site_id HAVING rs.waiting_pages <> coalesce(sum(b.size), 0)`,
  `SELECT format('%s fills batch %d in run %s, which is not there to be filled', s.host, rs.filling_batch_id, r.name) FROM ${SITES}
   WHERE r.kind <> 'planning' AND rs.filling_batch_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.id = rs.filling_batch_id AND b.run_id = rs.run_id AND b.site_id = rs.site_id AND b.state = 'filling')`,
  "SELECT format('batch %d is being filled, and its site does not know it', b.id) FROM batch b WHERE b.state = 'filling' AND NOT EXISTS (SELECT 1 FROM run_site rs WHERE rs.run_id = b.run_id AND rs.site_id = b.site_id AND rs.filling_batch_id = b.id)",
];

/** Which process works on a run, and what happened to the run afterwards. */
const PROCESSES = [
  "SELECT format('run %s is %s, and still assigned to %s', name, state, coalesce(process, 'somebody')) FROM run WHERE state <> 'running' AND (process IS NOT NULL OR alive_until IS NOT NULL)",
  "SELECT format('run %s was alive in no process', name) FROM run WHERE (process IS NULL) <> (alive_until IS NULL)",
  "SELECT format('plan %s was taken over or resumed', name) FROM run WHERE kind = 'planning' AND (taken_over_by IS NOT NULL OR resumed_at IS NOT NULL)",
  "SELECT format('run %s was taken over, and ended as %s', name, state) FROM run WHERE taken_over_by IS NOT NULL AND state NOT IN ('running', 'interrupted', 'failed')",
  "SELECT format('run %s was taken over by %s, which is not another run', r.name, coalesce(h.name, r.taken_over_by)) FROM run r LEFT JOIN run h ON h.id = r.taken_over_by WHERE r.taken_over_by IS NOT NULL AND (h.id IS NULL OR h.id = r.id OR h.kind = 'planning')",
  "SELECT format('run %s was never resumed, and worked before', name) FROM run WHERE resumed_at IS NULL AND worked_ms <> 0",
  "SELECT format('run %s died, and nobody took it afterwards', name) FROM run WHERE died_at IS NOT NULL AND resumed_at IS NULL",
  "SELECT format('process %s died at work on run %s, at no time', died_process, name) FROM run WHERE died_process IS NOT NULL AND died_at IS NULL",
];

export const RESUMABLE = checksOf(6, [...UNFINISHED, ...BATCHES, ...PROCESSES]);
