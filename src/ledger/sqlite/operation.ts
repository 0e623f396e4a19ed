/**
 * How the ledger's operations are written: as functions of a transaction, in the room of their part of the port. Such a function is
 * synchronous. A write may be run again from its beginning, after a rollback (group-commit.ts), so it reads no clock and no random source, and
 * keeps nothing beside the transaction. What it is asked and what it answers is plain data, as the port says.
 */
import type { Ledger } from "../ledger.ts";
import type { LedgerCore } from "./ledger-core.ts";
import type { Tx } from "./tx.ts";

type Name = Exclude<keyof Ledger, "close">;

/** What an operation of the port is asked. */
export type Asked<Operation extends Name> = Parameters<Ledger[Operation]>[0];

/** What it answers. */
export type Answered<Operation extends Name> = Awaited<ReturnType<Ledger[Operation]>>;

/** Operations that are one transaction. The name and the types are the port's. */
export type InOne = {
  readonly [Operation in Name]?: (tx: Tx, ...asked: Parameters<Ledger[Operation]>) => Answered<Operation>;
};

/** Operations that take several transactions, with other work in between. Each of them says what a call that is cut off leaves. */
export type InPieces = {
  readonly [Operation in Name]?: (
    core: LedgerCore,
    ...asked: Parameters<Ledger[Operation]>
  ) => ReturnType<Ledger[Operation]>;
};

/** The methods of the port that a table of operations has. */
export type MethodsOf<Table> = Pick<Ledger, keyof Table & keyof Ledger>;
