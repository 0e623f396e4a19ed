import { describe } from "vitest";
import { openTempLedger } from "../doubles/temp-ledger.ts";
import { describeReports } from "./ledger-reports-contract.ts";
import { describeRunReports } from "./ledger-run-reports-contract.ts";

describe("SqliteLedger, reports", () => {
  describeReports(async () => (await openTempLedger()).ledger);
  describeRunReports(async () => (await openTempLedger()).ledger);
});
