/**
 * Prepared statements. Whoever has a connection says the text each time: it is prepared once, and to find it again costs nothing that can be
 * measured beside running it (docs/decisions/0090). So the texts must be few: they are constants, and values are bound.
 */
import type Database from "better-sqlite3";
import type { Connection } from "./connection.ts";
import { isSchemaFault, toDamagedSchema } from "./sqlite-error.ts";

export type SqlValue = string | number | null | Uint8Array;
/**
 * A statement: a template, with each value where it belongs (docs/decisions/0103), or a text with its values behind it, where it is put
 * together of pieces or is used twice. What stands in `${}` of a template is always bound, and never becomes a part of the statement.
 */
export type Sql = TemplateStringsArray | string;
/** Of a template as they stand; of a text in the order of the `?`, or one object for the `@names`. */
export type SqlValues = readonly SqlValue[] | readonly [Readonly<Record<string, SqlValue>>];

/** Of statements that only read. */
export interface Reading {
  /** The first row. */
  get<Row>(sql: Sql, ...values: SqlValues): Row | undefined;
  /** Every row. */
  all<Row>(sql: Sql, ...values: SqlValues): Row[];
  /** Row by row. Until the last one, or the end of the loop, nothing else may run. */
  iterate<Row>(sql: Sql, ...values: SqlValues): IterableIterator<Row>;
  /** The first column of the first row. */
  value<Value>(sql: Sql, ...values: SqlValues): Value | undefined;
  /** Whether there is a row. */
  has(sql: Sql, ...values: SqlValues): boolean;
  /** The first column of every row. */
  values<Value>(sql: Sql, ...values: SqlValues): Value[];
  /** Every row as an array: of many rows it costs half of what objects do. */
  tuples<Row>(sql: Sql, ...values: SqlValues): Row[];
  /** As `tuples` and as `iterate`. */
  iterateTuples<Row>(sql: Sql, ...values: SqlValues): IterableIterator<Row>;
}

export interface Statements extends Reading {
  /** Runs a statement that answers with no row. */
  run(sql: Sql, ...values: SqlValues): Database.RunResult;
  /** Runs a statement that writes one row at the most. @returns whether it did */
  changed(sql: Sql, ...values: SqlValues): boolean;
  /**
   * Runs an INSERT of one row. @returns its id. Not by RETURNING, for whose rows SQLite makes a table: a third of what inserting a page took.
   */
  insert(sql: Sql, ...values: SqlValues): number;
}

/** The same statements, for those who write and for those who may not. */
export interface StatementsOfFile {
  readonly writing: Statements;
  /** A statement that writes is a bug here, also one that answers with rows. */
  readonly reading: Reading;
}

type Statement = Database.Statement<unknown[], unknown>;

/** @throws LicetError LEDGER_CORRUPT from each method, for a text that the tables of the file do not fit */
export function createStatements(db: Connection, path: string): StatementsOfFile {
  /** @param shape what a statement answers with: the driver keeps that with the statement */
  function createFinder(shape: (statement: Statement) => Statement): (sql: Sql) => Statement {
    const known = new Map<Sql, Statement>();
    return (sql) => {
      let statement = known.get(sql);
      if (statement === undefined) {
        statement = shape(prepare(sql));
        known.set(sql, statement);
      }
      return statement;
    };
  }

  function prepare(sql: Sql): Statement {
    try {
      return db.prepare<unknown[], unknown>(withOnePlan(textOf(sql)));
    } catch (error) {
      throw isSchemaFault(error) ? toDamagedSchema(error, path) : error;
    }
  }

  const rows = createFinder((statement) => statement);
  const firstColumns = createFinder((statement) => statement.pluck());
  const arrays = createFinder((statement) => statement.raw());
  return {
    writing: {
      ...createReading(rows, firstColumns, arrays),
      run: (sql, ...values) => rows(sql).run(...values),
      changed: (sql, ...values) => rows(sql).run(...values).changes === 1,
      insert: (sql, ...values) => Number(rows(sql).run(...values).lastInsertRowid),
    },
    reading: createReading(refuseWrites(rows), refuseWrites(firstColumns), refuseWrites(arrays)),
  };
}

/** A template is one object for each place of the program, so it is found as a text is. */
function textOf(sql: Sql): string {
  return typeof sql === "string" ? sql : sql.join("?");
}

const LITERALS_AND_PARAMETERS = /'[^']*'|"[^"]*"|`[^`]*`|--.*|\/\*[\s\S]*?\*\/|[?@]\w*/g;

/**
 * A statement whose plan may depend on a bound value (a range, a LIMIT, the condition of a partial index) is prepared anew by SQLite at
 * each run with another value. The plus before a parameter says that the plan is the same for all values (docs/decisions/0145).
 */
function withOnePlan(sql: string): string {
  return sql.replace(LITERALS_AND_PARAMETERS, (found) => (/^[?@]/.test(found) ? `+${found}` : found));
}

type Find = (sql: Sql) => Statement;

function createReading(rows: Find, firstColumns: Find, arrays: Find): Reading {
  return {
    get: <Row>(sql: Sql, ...values: SqlValues) => rows(sql).get(...values) as Row | undefined,
    all: <Row>(sql: Sql, ...values: SqlValues) => rows(sql).all(...values) as Row[],
    iterate: <Row>(sql: Sql, ...values: SqlValues) => rows(sql).iterate(...values) as IterableIterator<Row>,
    value: <Value>(sql: Sql, ...values: SqlValues) => firstColumns(sql).get(...values) as Value | undefined,
    has: (sql, ...values) => firstColumns(sql).get(...values) !== undefined,
    values: <Value>(sql: Sql, ...values: SqlValues) => firstColumns(sql).all(...values) as Value[],
    tuples: <Row>(sql: Sql, ...values: SqlValues) => arrays(sql).all(...values) as Row[],
    iterateTuples: <Row>(sql: Sql, ...values: SqlValues) => arrays(sql).iterate(...values) as IterableIterator<Row>,
  };
}

function refuseWrites(find: Find): Find {
  return (sql) => {
    const statement = find(sql);
    if (!statement.readonly) {
      throw new Error(`bug: what only reads would run ${textOf(sql)}`);
    }
    return statement;
  };
}
