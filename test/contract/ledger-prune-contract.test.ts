import { describe } from "vitest";
import { openTempLedger } from "../doubles/temp-ledger.ts";
import { describePruning } from "./ledger-prune-contract.ts";

describe("SqliteLedger, pruning", () => {
  describePruning(async () => (await openTempLedger()).ledger);
});
