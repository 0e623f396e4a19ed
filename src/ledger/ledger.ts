/**
 * The ledger port: everything that licet must never lose. Its methods are async, batched and idempotent. Their arguments and
 * results are plain JSON (except bytes), so that the ledger can be used across a thread or a queue.
 *
 * Every implementation keeps these rules, and test/contract/ledger-contract.ts checks them:
 * - A method commits all of its changes durably, or nothing. When its promise resolves, the changes are on disk.
 * - A second call with the same argument (a job delivered twice, a lost answer) changes nothing, and its result says so.
 * - A method that takes a `leaseId` does nothing when the batch has a newer lease. Its result then says `stale`.
 * - Money and uses are facts. A correction is a new row.
 *
 * Failures are LicetErrors: LEDGER_LOCKED, LEDGER_CORRUPT, LEDGER_UNWRITABLE, DISK_FULL.
 */

import type { ActLedger } from "./act-ledger.ts";
import type { AlertLedger } from "./alert-ledger.ts";
import type { CandidateLedger } from "./candidate-ledger.ts";
import type { ClockLedger } from "./clock-ledger.ts";
import type { CopyLedger } from "./copy-ledger.ts";
import type { DocumentLedger } from "./document-ledger.ts";
import type { EvidenceLedger } from "./evidence-ledger.ts";
import type { FetchLedger } from "./fetch-ledger.ts";
import type { FrontierLedger } from "./frontier-ledger.ts";
import type { HintLedger } from "./hint-ledger.ts";
import type { LeaseLedger } from "./lease-ledger.ts";
import type { FiguresReader } from "./ledger-figures.ts";
import type { LedgerReports } from "./ledger-reports.ts";
import type { ListLedger } from "./list-ledger.ts";
import type { PauseLedger } from "./pause-ledger.ts";
import type { PurchaseLedger } from "./purchase-ledger.ts";
import type { RightsLedger } from "./rights-ledger.ts";
import type { RunLedger } from "./run-ledger.ts";
import type { ScheduleLedger } from "./schedule-ledger.ts";
import type { ServiceLedger } from "./service-ledger.ts";
import type { StopLedger } from "./stop-ledger.ts";
import type { UsageLedger } from "./usage-ledger.ts";
import type { WaitLedger } from "./wait-ledger.ts";

export interface Ledger
  extends RunLedger,
    StopLedger,
    PauseLedger,
    LeaseLedger,
    FrontierLedger,
    CandidateLedger,
    PurchaseLedger,
    FetchLedger,
    EvidenceLedger,
    UsageLedger,
    ServiceLedger,
    ClockLedger,
    WaitLedger,
    HintLedger,
    ListLedger,
    ScheduleLedger,
    CopyLedger,
    RightsLedger,
    ActLedger,
    AlertLedger,
    DocumentLedger,
    FiguresReader,
    LedgerReports {
  /** Commits the calls in flight and closes the file. */
  close(): Promise<void>;
}
