import { describe } from "vitest";
import { openTempLedger } from "../support/temp-ledger.ts";
import { describeLedgerContract } from "./ledger-contract.ts";

describe("the SQLite ledger", () => {
  describeLedgerContract(async () => (await openTempLedger()).ledger);
});
