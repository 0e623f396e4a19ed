import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { compareSchema } from "../../../src/ledger/sqlite/engine/expected-schema.ts";
import { loadMigrations, type Migration, migrate } from "../../../src/ledger/sqlite/engine/migrations.ts";

const MIGRATIONS = loadMigrations();
/** New ledgers are made of it, so what a person reviews is what licet has. */
const NEW_LEDGER = join(import.meta.dirname, "../../../migrations/schema/new-ledger.sql");

/** The SHA-256 of each migration. What a migration made is in ledgers: a change is another migration, with its own line here. */
const DIGESTS: Readonly<Record<string, string>> = {
  "0001_create_ledger.sql": "2d1e8de7c53fbe43594a3f4c826ae5d9cb2c01dace105dfdbe0e7aaf4078e581",
  "0002_close_months.sql": "ffba2474adcfce1a897dc205a7a9ced2853eb27fdaa0730724ad1002cb8df2da",
  "0003_write_bookings_in_functions.sql": "e59ad9b186432cba8ceaff25778372ebdead3541d4c8442c7517837bfbfdf89c",
  "0004_count_pages_and_waits.sql": "40731fcd4230c1a4f808d6627f3cab214aa6727fb68f50f2cea20ced956361cd",
  "0005_record_acts.sql": "5dc38a33fdaed7870c88e09c70ebf470a08a3902474b545b2b3406fedcd39d78",
  "0006_diet_of_rows.sql": "567fbf651297d533b1ee4cea89dd60a84b604faf975ab30299f3f1c5a931822c",
  "0007_find_evidence.sql": "7b71a8a27c08f2da5d04cab755cd862a6034dfdf112a084e42cd5b5bfae5bda7",
  "0008_compress_texts.sql": "69d679d6d3902cf2ef0799ad38a55c60b6d6327ec12fecb5e9120610739161c4",
  "0009_keep_what_persons_do.sql": "adbf1ddee83049b97660b7db4d400ff05539570b3c85565d0dec5209210bf8f6",
  "0010_write_fewer_rows_a_page.sql": "42ff96a4ed0582c1fafad83d45ac9dd0dcfbfb13a1d8c8cd1ec476c279db7a34",
  "0011_keep_sums_of_bookings.sql": "c5561c53ecccf9e2bba327c775e25357dd360e9a3c8842055ebb3dd2922bac98",
  "0012_list_workers.sql": "26e5d53d73c3fac146c19ee8b81eb6c9f568009bdd6e4e5a2f9cb5aa6784ce02",
  "0013_compare_without_tables.sql": "241ae92698711bc59325e11ae2d2aaddcfb0040af7af86b589c2460127e3863a",
  "0014_lease_by_stage.sql": "61cf814d8f70c7e6dd695ab5c5c8d15cde81baca3a07ab7a443693f9cdab600f",
};

function openAt(version: number): Database.Database {
  const db = new Database(":memory:");
  migrate(db, MIGRATIONS.slice(0, version), "ledger");
  return db;
}

it("has nothing beside the snapshots that drizzle-kit cannot read, which would keep it from writing the next one", () => {
  const files = readdirSync(join(NEW_LEDGER, "../../meta"));
  expect(files.filter((name) => !name.endsWith(".json"))).toEqual([]);
});

/** One migration after the other, as ledgers of earlier versions had them. */
function openInTurn(): Database.Database {
  const db = openAt(MIGRATIONS.length - 1);
  migrate(db, MIGRATIONS, "ledger");
  return db;
}

/** Everything that a file has, as a text that makes it of an empty one. */
function readLedger(db: Database.Database): string {
  const schema = db
    .prepare<[], string>(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .pluck()
    .all();
  const version = db.pragma("user_version", { simple: true }) as number;
  const statements = [...schema, ...readRows(db)].map((statement) => `${statement};\n`);
  return [`-- ${MIGRATIONS[version - 1]?.name}\n`, ...statements].join("\n");
}

function readRows(db: Database.Database): string[] {
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck();
  return tables.all().flatMap((table) => {
    const columns = db.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(table);
    const values = columns.map((column) => `quote("${column}")`).join(" || ', ' || ");
    const rows = db.prepare<[], string>(`SELECT ${values} FROM "${table}" ORDER BY 1`).pluck();
    return rows.all().map((row) => `INSERT INTO "${table}" (${columns.join(", ")}) VALUES (${row})`);
  });
}

describe("the migrations", () => {
  it("produce the reviewed schema", async () => {
    await expect(readLedger(openInTurn())).toMatchFileSnapshot(NEW_LEDGER);
  });

  it("make the same of an empty file at once and in turn", () => {
    const db = openAt(MIGRATIONS.length);
    expect(compareSchema(db)).toEqual([]);
    expect(readLedger(db)).toBe(readLedger(openInTurn()));
    expect(db.pragma("application_id")).toEqual(openInTurn().pragma("application_id"));
  });

  it("make a new ledger in turn where the text at once is of other migrations", () => {
    const later: Migration = { version: 1, name: "9999_is_not_in_it_yet", statements: ["CREATE TABLE later (x)"] };
    const db = new Database(":memory:");
    migrate(db, [...MIGRATIONS, later], "ledger");
    expect(compareSchema(db).map(({ detail }) => detail)).toEqual(["licet did not make the table later"]);
  });

  it("are all in the journal, numbered from 1, and named after their effect", () => {
    const files = readdirSync(join(import.meta.dirname, "../../../migrations")).filter((name) => name.endsWith(".sql"));
    expect(MIGRATIONS.map(({ name }) => `${name}.sql`)).toEqual(files.sort());
    for (const { version, name } of MIGRATIONS) {
      expect(name).toMatch(new RegExp(`^${String(version).padStart(4, "0")}_[a-z]+(_[a-z]+)+$`));
    }
  });

  it("are never edited", () => {
    const digestOf = (name: string) =>
      createHash("sha256")
        .update(readFileSync(join(import.meta.dirname, "../../../migrations", name)))
        .digest("hex");
    expect(Object.fromEntries(MIGRATIONS.map(({ name }) => [`${name}.sql`, digestOf(`${name}.sql`)]))).toEqual(DIGESTS);
  });

  it.each(MIGRATIONS.map(({ version }) => version - 1))("bring a ledger of version %i up to date", (version) => {
    const db = openAt(version);
    migrate(db, MIGRATIONS, "ledger");
    expect(readLedger(db)).toBe(readFileSync(NEW_LEDGER, "utf8"));
    expect(db.pragma("user_version", { simple: true })).toBe(MIGRATIONS.length);
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(db.pragma("foreign_key_check")).toEqual([]);
  });

  it("leave nothing of a step that fails", () => {
    const db = openAt(MIGRATIONS.length);
    const before = readLedger(db);
    const broken: Migration = {
      version: MIGRATIONS.length + 1,
      name: "0999_break_things",
      statements: ["CREATE TABLE half (x)", "BROKEN"],
    };
    expect(() => migrate(db, [...MIGRATIONS, broken], "ledger")).toThrow("BROKEN");
    expect(readLedger(db)).toBe(before);
    expect(db.inTransaction).toBe(false);
  });

  it("make every table STRICT: a fraction of a micro, or text for money, cannot be stored", () => {
    const db = openAt(MIGRATIONS.length);
    const loose = db
      .prepare(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict AND name NOT LIKE 'sqlite_%'",
      )
      .pluck()
      .all();
    expect(loose).toEqual([]);
    const insert = (value: unknown) =>
      db
        .prepare(
          "INSERT INTO balance (scope, period, currency, reserved_micros, in_doubt_micros, settled_micros, fee_micros, bought_pages, failed_pages) VALUES ('all', 'total', 'USD', ?, 0, 0, 0, 0, 0)",
        )
        .run(value);
    expect(() => insert(0.5)).toThrow("cannot store REAL value");
    expect(() => insert("many")).toThrow("cannot store TEXT value");
    expect(() => insert(-1)).toThrow("CHECK constraint failed");
  });

  it("make resolutions and receipts facts, and allow no deletion of what was paid for", () => {
    const triggers = openAt(MIGRATIONS.length)
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
      .pluck()
      .all();
    expect(triggers).toEqual(
      expect.arrayContaining([
        "content_stays",
        "purchase_stays",
        "receipt_is_a_fact",
        "resolution_is_a_fact",
        "usage_batch_is_frozen",
        "use_stays",
      ]),
    );
  });
});
