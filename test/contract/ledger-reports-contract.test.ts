import { describe } from "vitest";
import { openTempLedger } from "../support/temp-ledger.ts";
import { describeReports } from "./ledger-reports-contract.ts";

describe("SqliteLedger, reports", () => {
  describeReports(async () => (await openTempLedger()).ledger);
});
