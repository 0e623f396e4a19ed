import type { Ledger } from "../../ledger.ts";
import type { OpenPurchase } from "../../purchase-ledger.ts";
import { createBatches } from "../batches.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createProof } from "../site-proof.ts";

interface OpenPurchaseRow extends Omit<OpenPurchase, "license"> {
  readonly licenseId: number | null;
}

/** Reads: batch, purchase, page, license, tally. */
export function createOpenAcquireBatch(core: LedgerCore): Ledger["openAcquireBatch"] {
  const batches = createBatches(core.db);
  const isProven = createProof(core.db);
  const select = core.db.prepare<[number], OpenPurchaseRow>(
    `SELECT u.id AS purchaseId, u.state, p.url, u.url AS wireUrl, u.intent, u.format,
       u.quoted_micros AS quotedMicros, u.fee_micros AS feeMicros, u.currency, u.token, u.token_expires_at AS tokenExpiresAt,
       u.license_id AS licenseId
     FROM purchase u JOIN page p ON p.id = u.page_id
     WHERE u.batch_id = ? AND u.ended_at IS NULL ORDER BY u.id`,
  );
  return (leaseId) =>
    core.read(() => {
      const batch = batches.find(leaseId, "acquire");
      if (batch === null) {
        return null;
      }
      return {
        runId: core.runs.nameOf(batch.runId),
        host: core.hosts.hostOf(batch.siteId),
        attempt: batch.fence,
        isProven: isProven(batch.runId, batch.siteId),
        purchases: select.all(batch.id).map(({ licenseId, ...row }) => ({
          ...row,
          license: licenseId === null ? null : core.interned.license(licenseId),
        })),
      };
    });
}
