import { describe } from "vitest";
import { openTempLedger } from "../doubles/temp-ledger.ts";
import { describeLedgerContract } from "./ledger-contract.ts";

describe("the SQLite ledger", () => {
  describeLedgerContract(async () => (await openTempLedger()).ledger);
});
