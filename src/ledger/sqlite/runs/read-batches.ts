import type { BatchesOfStage } from "../../lease-ledger.ts";
import type { ReadTx } from "../operation.ts";
import { IS_UNFINISHED } from "./run-rows.ts";

const SELECT_BATCHES = `SELECT b.stage, count(*) AS count, sum(b.size) AS size
  FROM (SELECT id FROM run WHERE ${IS_UNFINISHED} AND state = 'running') r CROSS JOIN batch b ON b.run_id = r.id GROUP BY b.stage`;

/** The work of the runs at work, by stage. Reads as many rows as they have batches. */
export function readBatches(tx: ReadTx): readonly BatchesOfStage[] {
  return tx.all<BatchesOfStage>(SELECT_BATCHES);
}
