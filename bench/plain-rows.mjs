/**
 * The rows of a bought page and nothing else: eight writes of rows and two commits a page, which pages under way share, as licet has them. There is no
 * policy, no budget, no balance, no check, and nothing can be resumed: what the bare loop reaches with them bounds what licet can reach.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";

const PAGE_BYTES = 8_192;
/** Writes of so many milliseconds share a commit. */
const GATHER_MS = 10;

export function openPlainRows() {
  const directory = mkdtempSync(join(tmpdir(), "licet-plain-rows-"));
  const db = new Database(join(directory, "rows.sqlite"));
  for (const pragma of [`page_size = ${PAGE_BYTES}`, "journal_mode = WAL", "synchronous = FULL"]) {
    db.pragma(pragma);
  }
  db.exec(`CREATE TABLE page (id INTEGER PRIMARY KEY, url TEXT UNIQUE, held INTEGER);
    CREATE TABLE purchase (id INTEGER PRIMARY KEY, page_id INTEGER, state TEXT, token TEXT, micros INTEGER, at INTEGER);
    CREATE INDEX purchase_page ON purchase (page_id);
    CREATE TABLE content (id INTEGER PRIMARY KEY, hash TEXT, body TEXT);
    CREATE TABLE use (id INTEGER PRIMARY KEY, purchase_id INTEGER, at INTEGER);
    CREATE TABLE booking (id INTEGER PRIMARY KEY, purchase_id INTEGER, kind TEXT, at INTEGER);
    CREATE INDEX booking_at ON booking (at)`);
  const [addPage, reserve, start, settle, addContent, addUse, hold, book, begin, commit] = [
    "INSERT INTO page (id, url) VALUES (?, ?)",
    "INSERT INTO purchase (id, page_id, state, micros, at) VALUES (?, ?, 'reserved', 1000, ?)",
    "UPDATE purchase SET state = 'started', token = ? WHERE id = ? AND state = 'reserved'",
    "UPDATE purchase SET state = 'settled', token = NULL WHERE id = ? AND state = 'started'",
    "INSERT INTO content VALUES (?, ?, CAST(? AS TEXT))",
    "INSERT INTO use VALUES (?, ?, ?)",
    "UPDATE page SET held = ? WHERE id = ?",
    "INSERT INTO booking VALUES (?, ?, 'charged', ?)",
    "BEGIN IMMEDIATE",
    "COMMIT",
  ].map((sql) => db.prepare(sql));

  let gathered = [];
  function commitAll() {
    const writes = gathered;
    gathered = [];
    begin.run();
    for (const { work } of writes) {
      work();
    }
    commit.run();
    for (const { resolve } of writes) {
      resolve();
    }
  }
  const write = (work) =>
    new Promise((resolve) => {
      if (gathered.push({ work, resolve }) === 1) {
        setTimeout(commitAll, GATHER_MS);
      }
    });

  return {
    /** The pages of a catalog, decided. */
    add: (urls) =>
      write(() => {
        for (const [id, url] of urls.entries()) {
          addPage.run(id, url);
          reserve.run(id, id, id);
        }
      }),
    start: (id, token) => write(() => start.run(token, id)),
    settle(id, text) {
      const body = Buffer.from(text);
      const hash = createHash("sha256").update(body).digest("hex");
      return write(() => {
        settle.run(id);
        addContent.run(id, hash, body);
        addUse.run(id, id, id);
        hold.run(id, id);
        book.run(id, id, id);
      });
    },
    close() {
      db.close();
      rmSync(directory, { recursive: true });
    },
  };
}
