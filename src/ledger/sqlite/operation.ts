/**
 * How the ledger's operations are written: as functions of a transaction, in the room of their part of the port. One that only reads gets a `ReadTx`. Such a function is
 * synchronous. A write may be run again from its beginning, after a rollback (group-commit.ts), so it reads no clock and no random source, and
 * keeps nothing beside the transaction. What it is asked and what it answers is plain data, as the port says.
 */
import type { Ledger } from "../ledger.ts";
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

/**
 * What a function that writes gets. It may call those that only read. The same object serves all transactions, one after the other
 * (group-commit.ts). What it gathers in memory is written at the end of a transaction, and forgotten when it is rolled back.
 */
export interface Tx extends ReadTx, Statements {
  readonly balances: BalanceBook;
  readonly bookings: Bookings;
  readonly counters: Counters;
  /** Texts of content are written as zstd. */
  readonly compressesTexts: boolean;
  readonly lookups: LookupRows;
  readonly runs: RunNames;
  readonly hosts: SiteHosts;
}

type Name = Exclude<keyof Ledger, "close">;

/** What an operation of the port is asked. */
export type Asked<Operation extends Name> = Parameters<Ledger[Operation]>[0];

/** What it answers. */
export type Answered<Operation extends Name> = Awaited<ReturnType<Ledger[Operation]>>;

/** Operations that are one transaction, by the name and with the types of the port. */
export type InOne<Transaction> = {
  readonly [Operation in Name]?: (tx: Transaction, ...asked: Parameters<Ledger[Operation]>) => Answered<Operation>;
};

/** Operations that take several transactions, with other work in between. Each of them says what a call that is cut off leaves. */
export type InPieces<Core> = {
  readonly [Operation in Name]?: (core: Core, ...asked: Parameters<Ledger[Operation]>) => ReturnType<Ledger[Operation]>;
};

/** The methods of the port that a table of operations has. */
type MethodsOf<Table> = Pick<Ledger, keyof Table & keyof Ledger>;

/** Of all operations of a group alike: the table itself was checked against the port. */
type Operation<First> = (first: First, ...asked: unknown[]) => unknown;

/** @param run what a call of the port's method does with its operation */
export function toMethods<First, Table extends InOne<First> | InPieces<First>>(
  table: Table,
  run: (operation: Operation<First>, asked: readonly unknown[]) => unknown,
): MethodsOf<Table> {
  const operations = Object.entries(table) as [string, Operation<First>][];
  const methods = operations.map(([name, operation]) => [name, (...asked: unknown[]) => run(operation, asked)]);
  return Object.fromEntries(methods) as MethodsOf<Table>;
}
