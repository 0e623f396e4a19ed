import type { RightsLedger } from "../../rights-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createAdmitRenewals, createListRenewals } from "./admit-renewals.ts";
import { createCleanFile } from "./clean-file.ts";
import { createPurge } from "./purge-content.ts";
import { createReadExpiring } from "./read-expiring.ts";
import { createReadLost } from "./read-lost.ts";

export function createRightsOperations(parts: LedgerParts): RightsLedger {
  return {
    readExpiring: createReadExpiring(parts),
    readLost: createReadLost(parts),
    purge: createPurge(parts),
    cleanFile: createCleanFile(parts),
    listRenewals: createListRenewals(parts),
    admitRenewals: createAdmitRenewals(parts),
  };
}
