import { describe } from "vitest";
import { openTempLedger } from "../doubles/temp-ledger.ts";
import { describeDenialReports } from "./ledger-denials-report-contract.ts";
import { describeDocuments } from "./ledger-documents-contract.ts";
import { describeFoundDocuments } from "./ledger-found-documents-contract.ts";
import { describeReports } from "./ledger-reports-contract.ts";
import { describeRightsCalendar } from "./ledger-rights-calendar-contract.ts";
import { describeRunReports } from "./ledger-run-reports-contract.ts";
import { describeSiteReports } from "./ledger-site-reports-contract.ts";

describe("SqliteLedger, reports", () => {
  describeDenialReports(async () => (await openTempLedger()).ledger);
  describeFoundDocuments(async () => (await openTempLedger()).ledger);
  describeDocuments(async () => (await openTempLedger()).ledger);
  describeReports(async () => (await openTempLedger()).ledger);
  describeRightsCalendar(async () => (await openTempLedger()).ledger);
  describeRunReports(async () => (await openTempLedger()).ledger);
  describeSiteReports(async () => (await openTempLedger()).ledger);
});
