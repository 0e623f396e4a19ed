import Database from "better-sqlite3";
import { describe } from "vitest";
import { NOON } from "../doubles/ledger-shop.ts";
import { openTempLedger } from "../doubles/temp-ledger.ts";
import { describeCopies } from "./ledger-copy-contract.ts";

describe("SqliteLedger, copies", () => {
  describeCopies(async (isCopy) => {
    const { ledger, path } = await openTempLedger();
    if (isCopy) {
      const db = new Database(path);
      db.prepare("INSERT INTO ledger_copy VALUES (1, ?, 'host:1', NULL)").run(NOON);
      db.close();
    }
    return ledger;
  });
});
