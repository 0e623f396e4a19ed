import type { LedgerReports, Violation } from "../../ledger-reports.ts";
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

/** One way to break a promise. */
export interface Check {
  readonly promise: number;
  /** SQL that lists, as one column of text, the rows that break it; or what names them otherwise. */
  readonly find: string | ((audited: Audited) => Iterable<string>);
}

export function checksOf(promise: number, finds: readonly Check["find"][]): Check[] {
  return finds.map((find) => ({ promise, find }));
}

/** Examples shown of one kind of violation; the rest is counted. */
const MAX_EXAMPLES = 20;

/** Of each check, the first violations in full, and how many more there are. */
export function findViolations(audited: Audited, checks: readonly Check[]): Violation[] {
  return checks.flatMap(({ promise, find }) => {
    const details = typeof find === "string" ? audited.db.prepare<[], string>(find).pluck().iterate() : find(audited);
    const violations: Violation[] = [];
    let more = 0;
    for (const detail of details) {
      if (violations.length < MAX_EXAMPLES) {
        violations.push({ promise, detail });
      } else {
        more++;
      }
    }
    return more === 0 ? violations : [...violations, { promise, detail: `and ${more} more like the last` }];
  });
}
