import type { DocumentLedger } from "../../document-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import {
  createAdvanceCursor,
  createFixRange,
  createReadCursorProcess,
  createReadLastSettled,
  createReleaseCursor,
  createRenewCursor,
  createTakeCursor,
} from "./cursors.ts";

export function createDocumentOperations(core: LedgerCore): Omit<DocumentLedger, "readSettled"> {
  return {
    takeCursor: createTakeCursor(core),
    readCursorProcess: createReadCursorProcess(core),
    fixRange: createFixRange(core),
    advanceCursor: createAdvanceCursor(core),
    renewCursor: createRenewCursor(core),
    releaseCursor: createReleaseCursor(core),
    readLastSettled: createReadLastSettled(core),
  };
}
