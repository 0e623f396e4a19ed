/** A disk that is full: SQLite may not grow the file past so many of its pages, and answers SQLITE_FULL. */
import Database from "better-sqlite3";

export function limitLedger(maxPages) {
  const { pragma } = Database.prototype;
  Database.prototype.pragma = function limited(source, ...rest) {
    const result = pragma.call(this, source, ...rest);
    if (source.startsWith("journal_mode")) {
      pragma.call(this, `max_page_count = ${maxPages}`);
    }
    return result;
  };
}
