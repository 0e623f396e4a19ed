/**
 * The steps that bring a ledger to the schema of this licet: drizzle-kit's journal and SQL files, applied in order.
 * `PRAGMA user_version` counts the steps a file has had and is committed with them, so a crash in between, or a second process that
 * opens the file at the same time, finds either all of a step or none of it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assertBug, LicetError } from "../../../errors.ts";
import { packageDirectory } from "../../../package-directory.ts";
import { APPLICATION_ID, type Connection } from "./connection.ts";

const JOURNAL_PATH = join("migrations", "meta", "_journal.json");
/** What all migrations make of an empty file, as one text: a tenth of the time of making it in turn (docs/decisions/0151). */
const NEW_LEDGER_PATH = join("migrations", "schema", "new-ledger.sql");
const STATEMENT_BREAK = "--> statement-breakpoint";

export interface Migration {
  /** From 1, without gaps. */
  readonly version: number;
  /** `0001_create_ledger` */
  readonly name: string;
  readonly statements: readonly string[];
}

/** Reads the migrations that came with this licet. @param root the package's directory */
export function loadMigrations(root: string = packageDirectory()): Migration[] {
  const journal = JSON.parse(readFileSync(join(root, JOURNAL_PATH), "utf8")) as {
    entries: { idx: number; tag: string }[];
  };
  return journal.entries.map(({ idx, tag }, index) => {
    assertBug(idx === index + 1, `migration ${tag} is number ${idx}, expected ${index + 1}`);
    const statements = readFileSync(join(root, "migrations", `${tag}.sql`), "utf8").split(STATEMENT_BREAK);
    return { version: idx, name: tag, statements };
  });
}

/**
 * Brings the file up to date under one write lock.
 * @throws LicetError LEDGER_NEWER for a file that a newer licet has written
 */
export function migrate(db: Connection, migrations: readonly Migration[], path: string): void {
  if (isCurrent(db, migrations, path)) {
    return;
  }
  db.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have done it while this one waited for the lock.
    if (!isCurrent(db, migrations, path)) {
      const from = readVersion(db);
      const newLedger = from === 0 ? readNewLedger(migrations) : null;
      const texts = newLedger === null ? migrations.slice(from).flatMap(({ statements }) => statements) : [newLedger];
      for (const text of texts) {
        db.exec(text);
      }
      db.pragma(`user_version = ${migrations.length}`);
      db.pragma(`application_id = ${APPLICATION_ID}`);
    }
    db.exec("COMMIT");
  } catch (error) {
    if (db.inTransaction) {
      db.exec("ROLLBACK");
    }
    throw error;
  }
}

/** Null where these are not the migrations whose end it is: its first line names the last of them. */
function readNewLedger(migrations: readonly Migration[]): string | null {
  const text = readFileSync(join(packageDirectory(), NEW_LEDGER_PATH), "utf8");
  return text.startsWith(`-- ${migrations.at(-1)?.name}\n`) ? text : null;
}

/** @throws LicetError LEDGER_NEWER */
export function isCurrent(db: Connection, migrations: readonly Migration[], path: string): boolean {
  const version = readVersion(db);
  assertKnownVersion(version, migrations, path);
  return version === migrations.length;
}

/** @throws LicetError LEDGER_NEWER */
export function assertKnownVersion(version: number, migrations: readonly Migration[], path: string): void {
  if (version > migrations.length) {
    throw toNewer(version, migrations.length, path);
  }
}

function toNewer(version: number, known: number, path: string): LicetError {
  return new LicetError("LEDGER_NEWER", `the ledger was written by a newer licet: ${path}`, {
    hint: `Its schema is version ${version}, this licet knows up to ${known}. Use the newer licet; the ledger was not touched.`,
    details: { path, version, known },
  });
}

/**
 * A check for each transaction: a newer licet may bring the file up to date while this process has it open. What the newer schema asks of a write,
 * such as a booking beside each movement of money, this process does not know.
 */
export function createVersionCheck(db: Connection, path: string): () => void {
  const select = db.prepare<[], number>("PRAGMA user_version").pluck();
  const opened = select.get() as number;
  return () => {
    const version = select.get() as number;
    if (version !== opened) {
      throw toNewer(version, opened, path);
    }
  };
}

function readVersion(db: Connection): number {
  return db.pragma("user_version", { simple: true }) as number;
}
