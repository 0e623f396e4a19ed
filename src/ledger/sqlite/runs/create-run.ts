import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createLeftoverClearing } from "./leftovers.ts";
import { createRunInsert } from "./new-run.ts";
import { createRunRows } from "./run-rows.ts";

const IN_NO_HANDS = { trigger: "manual", process: null, aliveUntil: null } as const;

/** Writes: run, run_site, site, batch, in one transaction, after what a crash left behind was cleared away. Idempotent by `runId`. */
export function createCreateRun(core: LedgerCore): Ledger["createRun"] {
  const rows = createRunRows(core.db);
  const clearLeftovers = createLeftoverClearing(core);
  const insert = createRunInsert(core);
  return async (spec) => {
    await clearLeftovers(spec.startedAt);
    await core.write(() => {
      if (rows.find(spec.runId) === null) {
        insert(spec, IN_NO_HANDS);
      }
    });
  };
}
