/** What a fetch writes at once when one of its batches is done. */
import type { FetchBatchEnd } from "../../fetch-ledger.ts";
import type { Answered, Asked, Tx } from "../operation.ts";
import { finishAcquireBatch } from "../purchases/open-purchases.ts";
import { settlePurchase } from "../purchases/settle-purchase.ts";
import { closeOnce } from "./end-run.ts";
import { leaseBatches } from "./leases.ts";
import { findRun } from "./run-rows.ts";

/** Reads and writes what `finishAcquireBatch`, `endRun` and `leaseBatches` do. Idempotent like each of them. */
export function endFetchBatch(tx: Tx, ended: Asked<"endFetchBatch">): Answered<"endFetchBatch"> {
  const isFinished = finishAcquireBatch(tx, ended.leaseId);
  const isEnded = isFinished && endDrained(tx, ended);
  return { isFinished, isEnded, leases: isEnded ? [] : leaseBatches(tx, ended.lease) };
}

/** Reads and writes what `settlePurchase` and `endFetchBatch` do: promise 4. Idempotent like each of them. */
export function settleLast(tx: Tx, settlement: Asked<"settleLast">): Answered<"settleLast"> {
  const settled = settlePurchase(tx, settlement);
  return { settled, last: endFetchBatch(tx, settlement.last) };
}

/** A frontier of more rows than one transaction drops is left to `endRun`. */
function endDrained(tx: Tx, { end, lease: { runId, process, now } }: FetchBatchEnd): boolean {
  const run = end === null ? null : findRun(tx, runId);
  return (
    end !== null && run !== null && closeOnce(tx, run.id, { ...end, runId, process, now, drained: true }) === "dropped"
  );
}
