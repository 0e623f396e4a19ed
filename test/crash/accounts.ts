/** What must be true after a run has ended whose gateway answered correctly, however its processes died. Without licet's code. */
import Database from "better-sqlite3";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { compareAccounts, compareReports } from "../doubles/compare-accounts.ts";

/** Nothing of a run that is over may be left in these. */
const LEFTOVERS = {
  "open purchases": "SELECT count(*) FROM purchase WHERE state IN ('reserved', 'started') OR token IS NOT NULL",
  batches: "SELECT count(*) FROM batch",
  candidates: "SELECT count(*) FROM candidate",
  "frontier entries": "SELECT (SELECT count(*) FROM frontier) + (SELECT count(*) FROM frontier_range)",
  "unfinished runs": "SELECT count(*) FROM run WHERE state IN ('running', 'interrupted', 'failed')",
  "leases of flushers": "SELECT count(*) FROM flusher WHERE expires_at IS NOT NULL",
  "usage batches without an answer": "SELECT count(*) FROM usage_batch WHERE closed_at IS NULL",
  "reserved micros": "SELECT coalesce(sum(reserved_micros), 0) FROM balance WHERE scope = 'all'",
  "settled purchases without content":
    "SELECT count(*) FROM purchase p WHERE state = 'settled' AND NOT EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = p.id)",
};

/** What a world expects of its end. */
export interface Expected {
  /** Pages bought in all; null where the gateway's faults decide that. */
  readonly charges: number | null;
  /** Uses recorded by hand, by page. */
  readonly uses?: Readonly<Record<string, number>>;
}

/** @returns what disagrees, in words; empty when every page was charged once at most, is accounted for, and reported once */
export function findAccountProblems(sandbox: Sandbox, ledgerFile: string, expected: Expected): string[] {
  const database = new Database(ledgerFile, { readonly: true });
  try {
    const left = Object.entries(LEFTOVERS).flatMap(([name, sql]) => {
      const count = database.prepare(sql).pluck().get();
      return count === 0 ? [] : [`left over: ${count} ${name}`];
    });
    const { length } = sandbox.audit().charges;
    const sum =
      expected.charges === null || length === expected.charges ? [] : [`bought ${length}, not ${expected.charges}`];
    return [
      ...left,
      ...sum,
      ...compareAccounts(sandbox, ledgerFile, { extraCharges: new Map(), areDoubtsCharged: true }),
      ...compareReports(sandbox, ledgerFile, expected.uses),
    ];
  } finally {
    database.close();
  }
}
