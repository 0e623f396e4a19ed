/**
 * The ledger port: everything licet must never forget, as async, batched, idempotent methods whose arguments and results
 * are plain JSON (bytes excepted), so that it can be reached across a thread or a queue.
 *
 * The rules every implementation keeps, and test/contract/ledger-contract.ts checks:
 * - a method either commits all of what it says, durably, or nothing; when its promise resolves, it is on disk;
 * - a method called twice with the same argument (a job delivered twice, an answer lost) changes nothing the second time and
 *   says so in its result;
 * - methods that take a `leaseId` do nothing for a lease that is no longer the batch's newest (the result says `stale`);
 * - money and uses are facts: a correction is a new row.
 *
 * Failures are LicetErrors: LEDGER_LOCKED, LEDGER_CORRUPT, LEDGER_UNWRITABLE, DISK_FULL.
 */
import type { FrontierLedger } from "./frontier-ledger.ts";
import type { LedgerReports } from "./ledger-reports.ts";
import type { PurchaseLedger } from "./purchase-ledger.ts";
import type { RunLedger } from "./run-ledger.ts";
import type { UsageLedger } from "./usage-ledger.ts";

export interface Ledger extends RunLedger, FrontierLedger, PurchaseLedger, UsageLedger, LedgerReports {
  /** Commits what is under way and closes the file. */
  close(): Promise<void>;
}
