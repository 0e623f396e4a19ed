import { describe } from "vitest";
import { openTempLedger } from "../doubles/temp-ledger.ts";
import { describeReports } from "./ledger-reports-contract.ts";

describe("SqliteLedger, reports", () => {
  describeReports(async () => (await openTempLedger()).ledger);
});
