import { describe } from "vitest";
import { openTempLedger } from "../doubles/temp-ledger.ts";
import { describeOutbox } from "./ledger-outbox-contract.ts";
import { describeReceipts } from "./ledger-receipts-contract.ts";
import { describeResolutions } from "./ledger-resolutions-contract.ts";
import { describeUses } from "./ledger-uses-contract.ts";

describe("SqliteLedger, uses and their outbox", () => {
  const open = async () => (await openTempLedger()).ledger;
  describeUses(open);
  describeOutbox(open);
  describeReceipts(open);
  describeResolutions(open);
});
