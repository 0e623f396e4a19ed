/**
 * What a call needs of the ledger's file. `create`: it writes, and makes the file with its directory where there is none. `existing`: it
 * writes, and the file must be there. `read`: it changes nothing, the file must be there and need not be writable.
 *
 * A file of its own: the declarations of the package must not lead to those of better-sqlite3, which nobody who installs licet has.
 */
export type LedgerAccess = "create" | "existing" | "read";
