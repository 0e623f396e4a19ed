import type { FrontierPage } from "../../frontier-ledger.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createBatches } from "../runs/batches.ts";

/** Reads: batch, frontier, page. The batches of a stopped site are gone, so a lease on one is stale. */
export function createOpenQuoteBatch(core: LedgerCore): Ledger["openQuoteBatch"] {
  const batches = createBatches(core.db);
  const selectPages = core.db.prepare<[number], FrontierPage>(
    `SELECT p.id AS pageId, p.url, coalesce(p.wire_url, p.url) AS wireUrl, p.last_mod_at AS lastModAt
     FROM frontier f JOIN page p ON p.id = f.page_id WHERE f.batch_id = ? ORDER BY f.run_id, f.page_id`,
  );
  return (leaseId) =>
    core.read(() => {
      const batch = batches.find(leaseId, "quote");
      if (batch === null) {
        return null;
      }
      return {
        runId: core.runs.nameOf(batch.runId),
        host: core.hosts.hostOf(batch.siteId),
        attempt: batch.fence,
        pages: selectPages.all(batch.id),
      };
    });
}
