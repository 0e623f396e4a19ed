import type { HintLedger } from "../../hint-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createRecordHints } from "./record-hints.ts";

/** The port's hints, each method from its file. */
export function createHintOperations(parts: LedgerParts): HintLedger {
  return {
    recordHints: createRecordHints(parts),
  };
}
