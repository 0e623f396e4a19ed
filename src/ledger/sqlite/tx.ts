/**
 * What a function of the ledger works with: one transaction. The same object serves all of them, one after the other (group-commit.ts). What
 * it gathers in memory is written at the end of a transaction, and forgotten when it is rolled back.
 */
import type { LookupRows } from "./engine/lookup-rows.ts";
import type { RunNames, SiteHosts } from "./engine/row-names.ts";
import type { Reading, Statements } from "./engine/statements.ts";
import type { BalanceBook } from "./money/balance-book.ts";
import type { Bookings } from "./money/bookings.ts";
import type { Counters } from "./money/counters.ts";

/** What a function that only reads gets: it has no way to write. */
export interface ReadTx extends Reading {
  /** Of the file, for messages. */
  readonly path: string;
  readonly balances: Pick<BalanceBook, "read">;
  readonly lookups: Pick<LookupRows, "license">;
  readonly runs: Pick<RunNames, "idOf" | "nameOf">;
  readonly hosts: Pick<SiteHosts, "hostOf">;
}

/** What a function that writes gets. It may call those that only read. */
export interface Tx extends ReadTx, Statements {
  readonly balances: BalanceBook;
  readonly bookings: Bookings;
  readonly counters: Counters;
  readonly lookups: LookupRows;
  readonly runs: RunNames;
  readonly hosts: SiteHosts;
}
