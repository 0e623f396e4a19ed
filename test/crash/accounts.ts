/**
 * Compares the ledger's file with the gateway's own account after a run has ended, with plain SQL and sums and without licet's
 * code. It is valid for every world whose gateway answers correctly, however its processes died.
 */
import Database from "better-sqlite3";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";

interface PageRow {
  readonly url: string;
  readonly settled: number;
  readonly settledMicros: number | null;
  readonly inDoubt: number;
}

/** Nothing of a run that is over may be left in these. */
const LEFTOVERS = {
  "open purchases": "SELECT count(*) FROM purchase WHERE state IN ('reserved', 'started') OR token IS NOT NULL",
  batches: "SELECT count(*) FROM batch",
  "frontier entries": "SELECT count(*) FROM frontier",
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
    return [...left, ...sum, ...comparePages(sandbox, database, expected.uses ?? {})];
  } finally {
    database.close();
  }
}

function comparePages(
  sandbox: Sandbox,
  database: Database.Database,
  usesByHand: Readonly<Record<string, number>>,
): string[] {
  const pages = database
    .prepare<[], PageRow>(
      `SELECT g.url, sum(p.state = 'settled') AS settled, sum(p.charged_micros) AS settledMicros, sum(p.state = 'in_doubt') AS inDoubt
       FROM purchase p JOIN page g ON g.id = p.page_id WHERE p.intent = 'content' GROUP BY g.url`,
    )
    .all();
  const { charges, uses } = sandbox.audit();
  const problems: string[] = [];
  for (const url of new Set([...pages.map((page) => page.url), ...charges.map((charge) => charge.url)])) {
    const page = pages.find((one) => one.url === url) ?? { url, settled: 0, settledMicros: 0, inDoubt: 0 };
    const charged = charges.filter((charge) => charge.url === url);
    const chargedMicros = charged.reduce((sum, { priceMicros }) => sum + priceMicros, 0);
    const reported = uses.filter((use) => use.url === url).reduce((sum, { times }) => sum + times, 0);
    if (charged.length > 1) {
      problems.push(`${url}: bought ${charged.length} times`);
    }
    if (charged.length !== page.settled + page.inDoubt) {
      problems.push(`${url}: ${charged.length} charges, ${page.settled} settled and ${page.inDoubt} in doubt`);
    }
    if (page.inDoubt === 0 && chargedMicros !== (page.settledMicros ?? 0)) {
      problems.push(`${url}: charged ${chargedMicros} micros, booked ${page.settledMicros}`);
    }
    const used = page.settled + (usesByHand[url] ?? 0);
    if (reported !== used) {
      problems.push(`${url}: used ${used} times, reported ${reported} times`);
    }
  }
  return problems;
}
