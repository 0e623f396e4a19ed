import type { Violation } from "../../ledger-reports.ts";
import type { Connection } from "../engine/connection.ts";

/** Examples shown of one kind of violation; the rest is counted. */
const MAX_EXAMPLES = 20;

/** Runs queries that each list, as one column of text, the rows that break a promise. */
export function findBrokenRows(db: Connection, promise: number, queries: readonly string[]): Violation[] {
  return queries.flatMap((sql) => limitExamples(promise, db.prepare<[], string>(sql).pluck().iterate()));
}

/** The first violations of a kind in full, and how many more there are. */
export function limitExamples(promise: number, details: Iterable<string>): Violation[] {
  const violations: Violation[] = [];
  let more = 0;
  for (const detail of details) {
    if (violations.length < MAX_EXAMPLES) {
      violations.push({ promise, detail });
    } else {
      more++;
    }
  }
  if (more > 0) {
    violations.push({ promise, detail: `and ${more} more like the last` });
  }
  return violations;
}
