import type { ServiceLedger } from "../../service-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createReadService, createReleaseService, createRenewService, createTakeService } from "./service-lease.ts";
import { createShortenLog } from "./shorten-log.ts";

export function createServiceOperations(core: LedgerCore): ServiceLedger {
  return {
    takeService: createTakeService(core),
    renewService: createRenewService(core),
    releaseService: createReleaseService(core),
    readService: createReadService(core),
    shortenLog: createShortenLog(core),
  };
}
