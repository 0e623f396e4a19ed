/**
 * The schema that a ledger of this licet has: what its migrations make of an empty database. Whatever else stands in a file was put there by
 * somebody else. A trigger is a program that runs within licet's own writes: it can change a balance, or accept a copy. Also a view, an index or
 * a table is refused, because nobody can tell what the next one does.
 */
import Database from "better-sqlite3";
import { LicetError } from "../../../errors.ts";
import type { Connection } from "./connection.ts";
import { assertKnownVersion, loadMigrations, type Migration } from "./migrations.ts";

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  /** The table of an index or a trigger; the name itself of any other object. */
  readonly tableName: string;
  /** NULL for the indexes that SQLite makes for a UNIQUE constraint. */
  readonly sql: string | null;
}

/** How an object differs from what licet made, and its description in words. */
export interface SchemaDifference {
  readonly kind: "missing" | "changed" | "foreign";
  readonly detail: string;
}

/** SQLite's own tables of statistics, which `ANALYZE` and `PRAGMA optimize` make. */
const STATISTICS: readonly SchemaObject[] = [
  ["sqlite_stat1", "tbl,idx,stat"],
  ["sqlite_stat4", "tbl,idx,neq,nlt,ndlt,sample"],
].map(([name = "", columns]) => ({
  type: "table",
  name,
  tableName: name,
  sql: `CREATE TABLE ${name}(${columns})`,
}));

/** Read once a process, like the schemas below. */
let migrations: readonly Migration[] | null = null;
/** By version. */
const known = new Map<number, readonly SchemaObject[]>();

/**
 * Compares tables, indexes, views and triggers, in words exactly as in `sqlite_schema`, with what the migrations make.
 * @param version the steps that the file has had; all of them by default
 */
export function compareSchema(db: Connection, version: number = readMigrations().length): SchemaDifference[] {
  const expected = new Map(readExpected(version).map((object) => [keyOf(object), object]));
  const differences: SchemaDifference[] = [];
  for (const object of selectSchema(db)) {
    const own = expected.get(keyOf(object));
    // A second row of the same name is not licet's.
    expected.delete(keyOf(object));
    if (own === undefined) {
      if (!STATISTICS.some((statistics) => isSame(statistics, object))) {
        const place = object.type === "trigger" || object.type === "index" ? ` on ${object.tableName}` : "";
        differences.push({ kind: "foreign", detail: `licet did not make the ${object.type} ${object.name}${place}` });
      }
    } else if (!isSame(own, object)) {
      differences.push({ kind: "changed", detail: `the ${object.type} ${object.name} is not what licet made` });
    }
  }
  for (const { type, name } of expected.values()) {
    differences.push({ kind: "missing", detail: `the ${type} ${name} is missing` });
  }
  return differences;
}

/**
 * Refuses a file that somebody handed over, before anything is written to it: a trigger would run with the first write.
 * @throws LicetError LEDGER_CORRUPT, LEDGER_NEWER
 */
export function assertOwnSchema(db: Connection, path: string): void {
  const version = db.pragma("user_version", { simple: true }) as number;
  assertKnownVersion(version, readMigrations(), path);
  const [first, ...others] = compareSchema(db, version);
  if (first === undefined) {
    return;
  }
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  throw new LicetError(
    "LEDGER_CORRUPT",
    `the copy has another schema than licet made (${first.detail}${more}): ${path}`,
    {
      hint: "Who changed it could also make it spend beyond its budgets: use another copy. If you know that it is only yours (a view, an index), DROP it in the copy with sqlite3, and try again.",
      details: { path },
    },
  );
}

/** The type is what the row says, not what its SQL makes: SQLite asks the SQL alone, so both have to be licet's. */
function keyOf({ type, name }: SchemaObject): string {
  return `${type} ${name}`;
}

function isSame(one: SchemaObject, other: SchemaObject): boolean {
  return one.type === other.type && one.tableName === other.tableName && one.sql === other.sql;
}

function readExpected(version: number): readonly SchemaObject[] {
  const made = known.get(version) ?? buildSchema(version);
  known.set(version, made);
  return made;
}

function readMigrations(): readonly Migration[] {
  migrations ??= loadMigrations();
  return migrations;
}

function buildSchema(version: number): SchemaObject[] {
  const db = new Database(":memory:");
  try {
    for (const { statements } of readMigrations().slice(0, version)) {
      for (const statement of statements) {
        db.exec(statement);
      }
    }
    return selectSchema(db);
  } finally {
    db.close();
  }
}

function selectSchema(db: Connection): SchemaObject[] {
  return db
    .prepare<[], SchemaObject>("SELECT type, name, tbl_name AS tableName, sql FROM sqlite_schema ORDER BY rowid")
    .all();
}
