import type { AlertLedger } from "../../alert-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createEndDelivery, createRetryGivenUp, createTakeDeliveries } from "./deliveries.ts";
import { createAdmitReceivers, createRaiseAlerts } from "./raise-alerts.ts";

export function createAlertOperations(core: LedgerCore): Omit<AlertLedger, "readAlertFacts" | "readAlertStatus"> {
  return {
    admitReceivers: createAdmitReceivers(core),
    raiseAlerts: createRaiseAlerts(core),
    takeDeliveries: createTakeDeliveries(core),
    endDelivery: createEndDelivery(core),
    retryGivenUp: createRetryGivenUp(core),
  };
}
