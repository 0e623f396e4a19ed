/**
 * What SQLite checks in a row of a page: without a temporary table for the words that a column may hold (decision 0144), and refusing what it refused
 * when the words stood after IN.
 */
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { loadMigrations, migrate } from "../../../src/ledger/sqlite/engine/migrations.ts";

const MIGRATIONS = loadMigrations();
/** The last version whose checks have IN everywhere. */
const WITH_IN = 12;
/** They get a row with each page that is found, listed, refused, bought or used. */
const OF_PAGES = [
  "booking",
  "candidate",
  "content",
  "denial",
  "frontier",
  "listed_page",
  "page",
  "purchase",
  "receipt",
  "usage_entry",
  "use",
];

function openAt(version: number): Database.Database {
  const db = new Database(":memory:");
  migrate(db, MIGRATIONS.slice(0, version), "ledger");
  return db;
}

function selectColumns(db: Database.Database, table: string): string[] {
  return db.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(table);
}

function fillsTable(db: Database.Database, statement: string, values: number): boolean {
  const program = db.prepare<unknown[], { opcode: string }>(`EXPLAIN ${statement}`);
  return program.all(...new Array<null>(values).fill(null)).some(({ opcode }) => opcode === "OpenEphemeral");
}

const insertOf = (table: string, columns: readonly string[]) =>
  `INSERT INTO "${table}" (${columns.map((column) => `"${column}"`).join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;

test.each(OF_PAGES)("a row of %s is written without a temporary table", (table) => {
  const db = openAt(MIGRATIONS.length);
  const columns = selectColumns(db, table);
  expect(columns).not.toEqual([]);
  expect(fillsTable(db, insertOf(table, columns), columns.length)).toBe(false);
});

test("a row of version 12 was not: the test can tell", () => {
  const db = openAt(WITH_IN);
  const filling = OF_PAGES.filter((table) => {
    const columns = selectColumns(db, table);
    return fillsTable(db, insertOf(table, columns), columns.length);
  });
  expect(filling).toEqual(["booking", "denial", "frontier", "listed_page", "purchase", "use"]);
});

interface Check {
  readonly table: string;
  /** Ends where the next constraint begins. */
  readonly condition: string;
}

/** The checks of all tables by name, and where a row belongs to `booking_of_doubt`. */
function readConditions(db: Database.Database): Map<string, Check> {
  const made = db.prepare<[], { table: string; sql: string }>(
    `SELECT tbl_name AS "table", sql FROM sqlite_schema WHERE sql IS NOT NULL AND (type = 'table' OR name = 'booking_of_doubt')`,
  );
  return new Map(
    made.all().flatMap(({ table, sql }) => {
      const rule = / WHERE (.*)$/.exec(sql);
      const checks = sql.matchAll(/CONSTRAINT "(\w+)" CHECK ?\((.*?)\)(?=, *CONSTRAINT|,?\n|\) STRICT)/gs);
      return rule === null || !sql.startsWith("CREATE UNIQUE INDEX")
        ? [...checks].map(([, name = "", condition = ""]): [string, Check] => [name, { table, condition }])
        : [["booking_of_doubt", { table, condition: rule[1] ?? "" }] as [string, Check]];
    }),
  );
}

/** Every row of values for columns. */
function combine(columns: readonly string[], values: readonly (string | null)[]): (string | null)[][] {
  return columns.reduce<(string | null)[][]>(
    (rows, _) => rows.flatMap((row) => values.map((value) => [...row, value])),
    [[]],
  );
}

test("each check that was written anew refuses the same rows as before", () => {
  const [before, now] = [readConditions(openAt(WITH_IN)), readConditions(openAt(WITH_IN + 1))];
  expect([...now.keys()].sort()).toEqual([...before.keys()].sort());
  const changed = [...now].filter(([name, { condition }]) => before.get(name)?.condition !== condition);
  expect(changed.map(([name]) => name).sort()).toEqual([
    "booking_kind",
    "booking_of_doubt",
    "denial_reason",
    "frontier_state",
    "listed_page_met_as",
    "purchase_format",
    "purchase_state",
    "use_entry",
    "use_state",
  ]);
  const db = new Database(":memory:");
  for (const [name, { table, condition }] of changed) {
    const columns = selectColumns(openAt(WITH_IN), table).filter((column) =>
      new RegExp(`\\b${column}\\b(?!')`).test(condition.replaceAll(/'[^']*'|"\w+"\./g, "")),
    );
    const words = [...condition.matchAll(/'([^']*)'/g)].map(([, word = ""]) => word);
    expect(words.length, name).toBeGreaterThan(2);
    const select = db.prepare<unknown[], { before: number | null; now: number | null }>(
      `SELECT (${before.get(name)?.condition}) AS before, (${condition}) AS now FROM (SELECT ${columns.map((column) => `? AS "${column}"`).join(", ")}) AS "${table}"`,
    );
    const verdicts = combine(columns, [
      ...words,
      words[0]?.toUpperCase() ?? "",
      `${words[0]} `,
      "",
      "another",
      null,
    ]).map((row) => select.get(...row));
    expect(
      verdicts.map((verdict) => verdict?.now),
      name,
    ).toEqual(verdicts.map((verdict) => verdict?.before));
    expect(new Set(verdicts.map((verdict) => verdict?.now)).size, name).toBeGreaterThan(1);
  }
});
