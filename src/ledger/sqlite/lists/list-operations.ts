import type { ListLedger } from "../../list-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createFindListRun, createReadIntake } from "./list-positions.ts";
import { createReadPlanBasis } from "./new-list.ts";
import { createRecordLines } from "./record-lines.ts";

/** The port's lists, each method from its file. */
export function createListOperations(parts: LedgerParts): Omit<ListLedger, "readUnbought"> {
  return {
    recordLines: createRecordLines(parts),
    readIntake: createReadIntake(parts),
    findListRun: createFindListRun(parts),
    readPlanBasis: createReadPlanBasis(parts),
  };
}
