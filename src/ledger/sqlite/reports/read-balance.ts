import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createSelectBalance } from "./select-balance.ts";

/** What counts under one scope, period and currency; zero where nothing ever moved. */
export function createReadBalance({ db, read }: LedgerCore): Ledger["readBalance"] {
  const select = createSelectBalance(db);
  return (key) => read(() => select(key).balance);
}
