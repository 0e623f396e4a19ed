import type { LedgerReports } from "../../ledger-reports.ts";
import type { Connection } from "../engine/connection.ts";
import type { RecomputedBalance } from "./recompute-balances.ts";

export type AuditQuery = Parameters<LedgerReports["audit"]>[0];

/** What a check works on. */
export interface Audited {
  readonly db: Connection;
  readonly query: AuditQuery;
  /** Summed once: two checks and the totals need them. @throws where the rows of money cannot be read or added up */
  sumBalances(): readonly RecomputedBalance[];
}
