import type { HintLedger } from "../../hint-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createAdmitHints } from "./admit-hints.ts";
import { createCountHints, createListDueHints, createListHintsOf, createReadHintWork } from "./due-hints.ts";
import { createRecordHints } from "./record-hints.ts";
import { createReadSweep, createRecordSweep, createRecordSweepFailure } from "./sweeps.ts";

/** The port's hints, each method from its file. */
export function createHintOperations(parts: LedgerParts): HintLedger {
  return {
    recordHints: createRecordHints(parts),
    readHintWork: createReadHintWork(parts),
    listDueHints: createListDueHints(parts),
    admitHints: createAdmitHints(parts),
    listHintsOf: createListHintsOf(parts),
    countHints: createCountHints(parts),
    readSweep: createReadSweep(parts),
    recordSweep: createRecordSweep(parts),
    recordSweepFailure: createRecordSweepFailure(parts),
  };
}
