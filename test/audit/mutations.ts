/**
 * Every small way in which one row can be damaged, made from the schema alone. Each column of each row is changed a little,
 * emptied, set to another row's value, or moved by a day; an id is set to a free one; each row is deleted and doubled. This file
 * does not know what the columns mean.
 */
import type Database from "better-sqlite3";

type Value = number | string | Buffer | null;
type Row = Readonly<Record<string, Value>>;

export interface Column {
  readonly name: string;
  readonly type: "INTEGER" | "TEXT" | "BLOB";
  /** Place in the primary key, from 1; 0 when it is not of it. */
  readonly keyPlace: number;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
  readonly rows: readonly Row[];
  /** The values that the schema admits, of the columns that have such a list. */
  readonly choices: ReadonlyMap<string, readonly string[]>;
}

export interface Mutation {
  /** `null`: the row as a whole. */
  readonly column: string | null;
  readonly kind: "more" | "less" | "day" | "free" | "empty" | "other" | "swap" | "choice" | "delete" | "double";
  readonly row: Row;
  readonly sql: string;
  readonly values: readonly Value[];
}

const DAY_MS = 86_400_000;

export function readTables(db: Database.Database): Table[] {
  const tables = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY name",
    )
    .all();
  return tables.map(({ name, sql }) => {
    const columns = (db.pragma(`table_info("${name}")`) as { name: string; type: Column["type"]; pk: number }[]).map(
      ({ name: column, type, pk }): Column => ({ name: column, type, keyPlace: pk }),
    );
    const key = columns.filter(({ keyPlace }) => keyPlace > 0).map((column) => column.name);
    const rows = db.prepare<[], Row>(`SELECT * FROM "${name}" ORDER BY ${key.join(", ")}`).all();
    return { name, columns, key, rows, choices: readChoices(sql) };
  });
}

/** Both ways in which a check lists values: `"t"."c" in ('a', 'b')`, and `"t"."c" = 'a' or "t"."c" = 'b'`. */
function readChoices(sql: string): Map<string, readonly string[]> {
  const lists = sql.matchAll(/CHECK\("\w+"\."(\w+)" (?:in \('[^)]*'\)|= '[^']*'(?: or "\w+"\."\1" = '[^']*')*)\)/g);
  return new Map(
    [...lists].map(([check, column = ""]) => [
      column,
      [...check.matchAll(/'([^']*)'/g)].map(([, value = ""]) => value),
    ]),
  );
}

/** One row of each sort: of the same choices, with the same columns empty and the same amounts zero. */
function sampleRows({ rows, choices }: Table): readonly Row[] {
  const sorts = new Map<string, Row>();
  for (const row of rows) {
    const sort = Object.entries(row).map(([name, value]) =>
      choices.has(name) ? value : value === null || (name.endsWith("_micros") && value === 0),
    );
    sorts.set(JSON.stringify(sort), row);
  }
  return [...sorts.values()];
}

export function* mutate(table: Table): Iterable<Mutation> {
  for (const row of sampleRows(table)) {
    for (const column of table.columns) {
      yield* mutateColumn(table, column, row);
    }
    yield {
      column: null,
      kind: "delete",
      row,
      sql: `DELETE FROM "${table.name}" WHERE ${whereKey(table)}`,
      values: keyOf(table, row),
    };
    yield* double(table, row);
  }
}

function* mutateColumn(table: Table, { name, type }: Column, row: Row): Iterable<Mutation> {
  const value = row[name] ?? null;
  const others = table.rows
    .map((other) => other[name] ?? null)
    .filter((other) => other !== null && !isSame(other, value));
  const set = (kind: Mutation["kind"], to: Value): Mutation => ({
    column: name,
    kind,
    row,
    sql: `UPDATE "${table.name}" SET "${name}" = ? WHERE ${whereKey(table)}`,
    values: [to, ...keyOf(table, row)],
  });
  const choices = table.choices.get(name);
  if (choices !== undefined) {
    yield* choices.filter((choice) => choice !== value).map((choice) => set("choice", choice));
  } else if (value === null) {
    yield set("other", others[0] ?? inventValue(type));
  } else {
    yield* nudge(value, name).map(([kind, to]) => set(kind, to));
    if (typeof value === "number" && table.key.length === 1 && table.key[0] === name) {
      yield set("free", Math.max(...others.map(Number), value) + 1);
    }
    if (others[0] !== undefined) {
      yield set("other", others[0]);
      yield* swap(table, name, row);
    }
  }
  if (value !== null) {
    yield set("empty", null);
  }
}

function nudge(value: number | string | Buffer, name: string): [Mutation["kind"], Value][] {
  if (typeof value === "number") {
    const isInstant = name.endsWith("_at");
    return [
      ["more", value + 1],
      ["less", value - 1],
      ...(isInstant ? [["day", value + DAY_MS] as [Mutation["kind"], Value]] : []),
    ];
  }
  return [["more", typeof value === "string" ? `${value}~` : Buffer.concat([value, Buffer.from([0])])]];
}

function inventValue(type: Column["type"]): Value {
  return type === "INTEGER" ? 1 : type === "TEXT" ? "x" : Buffer.from("x");
}

/** With the next row that has another value, round the table. */
function* swap(table: Table, name: string, row: Row): Iterable<Mutation> {
  const [key] = table.key;
  const at = table.rows.indexOf(row);
  const other = [...table.rows.slice(at + 1), ...table.rows.slice(0, at)].find(
    (candidate) => (candidate[name] ?? null) !== null && !isSame(candidate[name] ?? null, row[name] ?? null),
  );
  if (other !== undefined && key !== undefined && table.key.length === 1 && key !== name) {
    yield {
      column: name,
      kind: "swap",
      row,
      sql: `UPDATE "${table.name}" SET "${name}" = CASE "${key}" WHEN ? THEN ? ELSE ? END WHERE "${key}" IN (?, ?)`,
      values: [row[key] ?? null, other[name] ?? null, row[name] ?? null, row[key] ?? null, other[key] ?? null],
    };
  }
}

/** Under a key of its own, where the key is one number. */
function* double(table: Table, row: Row): Iterable<Mutation> {
  const [key] = table.key;
  if (table.key.length === 1 && key !== undefined && typeof row[key] === "number") {
    const rest = table.columns.filter((column) => column.name !== key).map((column) => `"${column.name}"`);
    yield {
      column: null,
      kind: "double",
      row,
      sql: `INSERT INTO "${table.name}" ("${key}", ${rest.join(", ")}) SELECT (SELECT max("${key}") + 1 FROM "${table.name}"), ${rest.join(", ")} FROM "${table.name}" WHERE "${key}" = ?`,
      values: [row[key] ?? null],
    };
  }
}

function whereKey({ key }: Table): string {
  return key.map((column) => `"${column}" = ?`).join(" AND ");
}

function keyOf({ key }: Table, row: Row): Value[] {
  return key.map((column) => row[column] ?? null);
}

function isSame(a: Value, b: Value): boolean {
  return Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : a === b;
}
