/** The files of one SQLite database: the file itself, and what SQLite keeps beside it. */

/** What is added to the name of the database. */
const LOGS = ["", "-wal", "-shm"];
const ROLLBACK_JOURNAL = "-journal";

/**
 * The file and its write-ahead log, as a ledger has them between two commits. A log that is left without its file counts too: SQLite would read
 * it into whatever file comes to its place.
 */
export function filesOfLedger(path: string): readonly string[] {
  return LOGS.map((suffix) => `${path}${suffix}`);
}

/** Every file that SQLite may make for a database, also one in another journal mode. */
export function filesOfDatabase(path: string): readonly string[] {
  return [...filesOfLedger(path), `${path}${ROLLBACK_JOURNAL}`];
}
