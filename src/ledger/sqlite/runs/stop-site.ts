import { LicetError } from "../../../errors.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createSiteStop } from "./site-stop.ts";

/**
 * Reads and writes: run_site, batch, frontier, purchase, balances. Idempotent: the first reason of a site stays.
 * A site that is not of the run is left alone.
 */
export function createStopSite(core: LedgerCore): Ledger["stopSite"] {
  const stop = createSiteStop(core);
  return (request) =>
    core.write(() => {
      const runId = core.runs.idOf(request.runId);
      if (runId === null) {
        throw new LicetError("RUN_NOT_FOUND", `no run is called ${request.runId}`, {
          details: { runId: request.runId },
        });
      }
      const siteId = core.interned.siteId(request.host);
      stop({ runId, siteId, stop: request.stop, detail: request.detail, now: request.now });
    });
}
