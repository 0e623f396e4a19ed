/** The list that a run begins with. Called within a write. */
import type { PlanBasis } from "../../../list/applied-plan.ts";
import type { Ledger } from "../../ledger.ts";
import type { NewList } from "../../list-ledger.ts";
import type { Connection } from "../engine/connection.ts";
import type { LedgerCore } from "../ledger-core.ts";

export function createListInsert(db: Connection): (runRowId: number, list: NewList) => void {
  const insert = db.prepare<
    [number, string, string | null, string | null, number | null, Buffer | null, number | null]
  >(
    "INSERT INTO run_list (run_id, source, path, goes_on_from, planned_at, plan_digest, planned_after) VALUES (?, ?, ?, (SELECT id FROM run WHERE name = ?), ?, ?, ?)",
  );
  const findPurchase = createBasisSearch(db);
  return (runRowId, { source, path, plan, goesOnFrom = null }) => {
    if (plan === undefined) {
      insert.run(runRowId, source, path, goesOnFrom, null, null, null);
    } else {
      const digest = Buffer.from(plan.digest, "hex");
      insert.run(runRowId, source, path, goesOnFrom, plan.createdAt, digest, findPurchase(plan.basis));
    }
  };
}

/** The number of the purchase, 0 before the first one. Null when this ledger has another one under that number: the plan is of another ledger. */
function createBasisSearch(db: Connection): (basis: PlanBasis | null) => number | null {
  const select = db
    .prepare<PlanBasis, number>(
      "SELECT p.id FROM purchase p JOIN run r ON r.id = p.run_id WHERE p.id = @purchase AND r.name = @run",
    )
    .pluck();
  return (basis) => (basis === null ? 0 : (select.get(basis) ?? null));
}

/** Reads: purchase, run, one row by its key. */
export function createReadPlanBasis({ db, read }: LedgerCore): Ledger["readPlanBasis"] {
  const select = db.prepare<[], PlanBasis>(
    `SELECT p.id AS purchase, r.name AS run FROM purchase p JOIN run r ON r.id = p.run_id
     WHERE p.id = (SELECT max(id) FROM purchase)`,
  );
  return () => read(() => select.get() ?? null);
}
