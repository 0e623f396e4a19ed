/** The list that a run begins with. Called within a write. */

import type { PlanBasis } from "../../../list/applied-plan.ts";
import type { NewList } from "../../list-ledger.ts";
import type { Answered, ReadTx, Tx } from "../operation.ts";

const INSERT_LIST =
  "INSERT INTO run_list (run_id, source, path, goes_on_from, planned_at, plan_digest, planned_after) VALUES (?, ?, ?, (SELECT id FROM run WHERE name = ?), ?, ?, ?)";

/** Writes the row of a list, with the plan that it is. */
export function insertList(tx: Tx, runRowId: number, { source, path, plan, goesOnFrom = null }: NewList): void {
  if (plan === undefined) {
    tx.run(INSERT_LIST, runRowId, source, path, goesOnFrom, null, null, null);
  } else {
    const digest = Buffer.from(plan.digest, "hex");
    tx.run(INSERT_LIST, runRowId, source, path, goesOnFrom, plan.createdAt, digest, findBasis(tx, plan.basis));
  }
}

/** The number of the purchase, 0 before the first one. Null when this ledger has another one under that number: the plan is of another ledger. */
function findBasis(tx: ReadTx, basis: PlanBasis | null): number | null {
  return basis === null
    ? 0
    : (tx.value<number>(
        "SELECT p.id FROM purchase p JOIN run r ON r.id = p.run_id WHERE p.id = @purchase AND r.name = @run",
        { ...basis },
      ) ?? null);
}

const SELECT_PLAN_BASIS = `SELECT p.id AS purchase, r.name AS run FROM purchase p JOIN run r ON r.id = p.run_id
  WHERE p.id = (SELECT max(id) FROM purchase)`;

/** Reads: purchase, run, one row by its key. */
export function readPlanBasis(tx: ReadTx): Answered<"readPlanBasis"> {
  return tx.get<PlanBasis>(SELECT_PLAN_BASIS) ?? null;
}
