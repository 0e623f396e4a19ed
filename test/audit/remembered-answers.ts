/**
 * A ledger's connection for auditing many small damages of one file, one at a time. The audit's statements are prepared once, and an
 * answer is remembered from one damage to the next: a statement is only run again where it reads the damaged table and, where one
 * column of a row is damaged, names the column. SQLite itself says which tables a statement reads.
 */
import type Database from "better-sqlite3";

/** `column: null`: a row is gone or added, or another row's key was given to it. */
export interface Damaged {
  readonly table: string;
  readonly column: string | null;
}

/** `SELECT *`, `SELECT a.*`; neither `count(*)` nor a product. */
const ALL_COLUMNS = /(?:SELECT|,)\s*(?:\w+\.)?\*/i;

type Statement = Database.Statement<unknown[], unknown>;

export interface RememberingConnection {
  readonly db: Database.Database;
  /** Of the file as it is from now on, until the next call. `null`: whole. */
  setDamaged(damaged: Damaged | null): void;
}

export function rememberAnswers(db: Database.Database): RememberingConnection {
  const tableOfRoot = readRoots(db);
  const statements = new Map<string, RememberedStatement>();
  let damaged: Damaged | null = null;
  const members: Record<string, unknown> = {
    prepare(sql: string): RememberedStatement {
      const statement = statements.get(sql) ?? new RememberedStatement(db, sql, tableOfRoot, () => damaged);
      statements.set(sql, statement);
      return statement;
    },
    // The file's own check of the one table that changed, with its indexes.
    pragma: (source: string) =>
      db.pragma(
        damaged === null ? source : source.replace(/^integrity_check\(\d+\)$/, `integrity_check("${damaged.table}")`),
      ),
  };
  const remembering = new Proxy(db, {
    get(target, name) {
      const member: unknown = members[String(name)] ?? Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { db: remembering, setDamaged: (now) => (damaged = now) };
}

class RememberedStatement {
  readonly #statement: Statement;
  readonly #sql: string;
  readonly #tables: ReadonlySet<string>;
  readonly #getDamaged: () => Damaged | null;
  readonly #answers = new Map<string, unknown>();
  readonly #touchedBy = new Map<string | null, boolean>();
  #isPlucked = false;

  constructor(
    db: Database.Database,
    sql: string,
    tableOfRoot: ReadonlyMap<number, string>,
    getDamaged: () => Damaged | null,
  ) {
    this.#statement = db.prepare(sql);
    this.#sql = sql;
    this.#tables = findTables(db, sql, tableOfRoot);
    this.#getDamaged = getDamaged;
  }

  pluck(): this {
    if (!this.#isPlucked) {
      this.#isPlucked = true;
      this.#statement.pluck();
    }
    return this;
  }

  all(...values: unknown[]): unknown[] {
    return this.#answer("all", values) as unknown[];
  }

  get(...values: unknown[]): unknown {
    return this.#answer("get", values);
  }

  iterate(...values: unknown[]): Iterable<unknown> {
    return this.all(...values);
  }

  #answer(method: "all" | "get", values: unknown[]): unknown {
    const damaged = this.#getDamaged();
    if (damaged !== null && this.#isTouchedBy(damaged)) {
      return this.#statement[method](...values);
    }
    const key = values.length === 0 ? method : `${method} ${JSON.stringify(values)}`;
    if (!this.#answers.has(key)) {
      this.#answers.set(key, this.#statement[method](...values));
    }
    return this.#answers.get(key);
  }

  #isTouchedBy({ table, column }: Damaged): boolean {
    if (!this.#tables.has(table)) {
      return false;
    }
    let touched = this.#touchedBy.get(column);
    if (touched === undefined) {
      touched = column === null || this.#mayRead(column);
      this.#touchedBy.set(column, touched);
    }
    return touched;
  }

  /** A column that a statement does not name has no part in its answer, but where it asks for all columns. */
  #mayRead(column: string): boolean {
    return ALL_COLUMNS.test(this.#sql) || new RegExp(`\\b${column}\\b`, "i").test(this.#sql);
  }
}

/** The table of each root page: of its rows, and of each index over them. */
function readRoots(db: Database.Database): Map<number, string> {
  const roots = db
    .prepare<[], { rootpage: number; tbl_name: string }>(
      "SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 0",
    )
    .all();
  return new Map(roots.map(({ rootpage, tbl_name }) => [rootpage, tbl_name]));
}

/** The tables that the statement's program opens. */
function findTables(db: Database.Database, sql: string, tableOfRoot: ReadonlyMap<number, string>): Set<string> {
  const parameters = sql
    .split("?")
    .slice(1)
    .map(() => null);
  const program = db.prepare<unknown[], { opcode: string; p2: number }>(`EXPLAIN ${sql}`).all(...parameters);
  return new Set(program.filter(({ opcode }) => opcode === "OpenRead").flatMap(({ p2 }) => tableOfRoot.get(p2) ?? []));
}
