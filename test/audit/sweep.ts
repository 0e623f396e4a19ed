/** Applies mutations to one ledger, one at a time, and runs the audit after each. */
import Database from "better-sqlite3";
import { auditLedger } from "../../src/ledger/sqlite/audit/audit-ledger.ts";
import { type Mutation, mutate, readTables } from "./mutations.ts";
import { rememberAnswers } from "./remembered-answers.ts";

export interface Swept {
  /** `purchase.state`; `purchase` for the row as a whole. */
  readonly place: string;
  readonly table: string;
  readonly mutation: Mutation;
  /** Refused by a key or a CHECK while the file is whole; the audit's own look at the file finds it where it is not. */
  readonly outcome: "refused" | "noticed" | "unnoticed";
  /** The given blind spots that contain the row. */
  readonly spots: readonly number[];
}

/** Where the audit may not see: in a column (or a row as a whole), of the rows that a condition in SQL picks. */
export interface Spot {
  readonly place: string;
  readonly where?: string;
}

export function* sweep(bytes: Buffer, spots: readonly Spot[]): Iterable<Swept> {
  const db = new Database(bytes);
  db.unsafeMode(true);
  db.pragma("foreign_keys = OFF");
  for (const name of db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck().all()) {
    db.exec(`DROP TRIGGER "${name}"`);
  }
  const kept = rememberAnswers(db);
  const audit = () =>
    auditLedger(kept.db, { budgets: [], now: 0 }, () => []).violations.map(
      ({ promise, detail }) => `${promise} ${detail}`,
    );
  // What the gateway of the scenarios did wrong, and the triggers that were dropped to do worse.
  const before = new Set(audit());
  try {
    for (const table of readTables(db)) {
      for (const mutation of mutate(table)) {
        const place = mutation.column === null ? table.name : `${table.name}.${mutation.column}`;
        const isOfKey = mutation.column !== null && table.key.includes(mutation.column);
        const within = spots.flatMap((spot, index) => (spot.place === place && liesIn(spot) ? [index] : []));
        db.exec("BEGIN");
        kept.setDamaged({ table: table.name, column: isOfKey ? null : mutation.column });
        const outcome = apply(mutation)
          ? audit().some((said) => !before.has(said))
            ? "noticed"
            : "unnoticed"
          : "refused";
        db.exec("ROLLBACK");
        kept.setDamaged(null);
        yield { place, table: table.name, mutation, outcome, spots: within };

        function liesIn({ where = "1" }: Spot): boolean {
          const key = table.key.map((column) => `"${column}" = ?`).join(" AND ");
          const values = table.key.map((column) => mutation.row[column] ?? null);
          return (
            kept.db.prepare(`SELECT 1 FROM "${table.name}" WHERE ${key} AND (${where})`).get(...values) !== undefined
          );
        }
      }
    }
  } finally {
    db.close();
  }

  function apply({ sql, values }: Mutation): boolean {
    try {
      return db.prepare(sql).run(...values).changes > 0;
    } catch (error) {
      if (error instanceof Database.SqliteError && /^SQLITE_(CONSTRAINT|MISMATCH)/.test(error.code)) {
        return false;
      }
      throw error;
    }
  }
}
