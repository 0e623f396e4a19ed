/**
 * What every report is built on: drizzle over the ledger's own connection. A query is written with drizzle's builder over the tables of
 * `schema/`. Where the builder has no words for something, a `sql` fragment stands there.
 */
import type { SQL } from "drizzle-orm";
import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Micros, toMicros } from "../../../money/micros.ts";
import type { License } from "../../../rates/license.ts";
import type { Connection } from "../engine/connection.ts";
import { and, between, drizzle, eq, ne, or, sql } from "../engine/drizzle.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { ReadTx } from "../operation.ts";
import { tally } from "../schema/counts.ts";
import { license } from "../schema/decisions.ts";
import { run } from "../schema/runs.ts";
import { usageBatch, use } from "../schema/usage.ts";

export type Queries = BetterSQLite3Database;

/** What a report reads with. */
export interface ReportTx extends ReadTx {
  /** For the audit, which has SQL of its own, and for a query whose form depends on what is asked. */
  readonly db: Connection;
  readonly queries: Queries;
  /** The rows of a query, which is prepared once for each ledger, by the first report that asks it. @param select a constant of its module: it is found by itself */
  rows<Select extends Selection>(select: (queries: Queries) => Select, asked?: object): ReturnType<Select["all"]>;
  /** The first of these rows. */
  row<Select extends Selection>(select: (queries: Queries) => Select, asked?: object): ReturnType<Select["get"]>;
}

/** A query as drizzle's builder leaves it. */
interface Selection {
  all(): unknown;
  get(): unknown;
  prepare(): { all(asked?: object): unknown; get(asked?: object): unknown };
}

/** What a report of several reads works with. */
export interface ReportCore {
  read<Asked extends readonly unknown[], Result>(
    report: (tx: ReportTx, ...asked: Asked) => Result,
    ...asked: Asked
  ): Promise<Result>;
}

export function createReportCore({ db, read }: LedgerCore): ReportCore {
  const queries = drizzle(db);
  const known = new Map<unknown, ReturnType<Selection["prepare"]>>();
  const prepare = (select: (queries: Queries) => Selection): ReturnType<Selection["prepare"]> => {
    const prepared = known.get(select) ?? select(queries).prepare();
    known.set(select, prepared);
    return prepared;
  };
  const asking: Pick<ReportTx, "rows" | "row"> = {
    rows: (select, values) => prepare(select).all(values) as never,
    row: (select, values) => prepare(select).get(values) as never,
  };
  return { read: (report, ...values) => read((tx) => report({ ...tx, ...asking, db, queries }, ...values)) };
}

/** Columns of a table that a query gives by the names that they have there. */
export function columns<Table extends object, Name extends keyof Table>(table: Table, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, table[name]])) as Pick<Table, Name>;
}

/** The last use of a report that is plain (usage/plain-reports.ts); NULL for any other. */
export const LAST_PLAIN_USE = sql<
  number | null
>`${usageBatch.firstUseId} + ${usageBatch.lastEntryId} - ${usageBatch.firstEntryId}`;

/** Whether `use` stands in the report `usage_batch`: nothing else lies between its entries, or between its uses where it is plain. */
export const IS_USE_OF_REPORT = or(
  between(use.entryId, usageBatch.firstEntryId, usageBatch.lastEntryId),
  between(use.id, usageBatch.firstUseId, LAST_PLAIN_USE),
);

/** The plain report that `use` is in, by its id: the last one that begins before it, if it reaches so far. NULL: none. */
export const PLAIN_REPORT_OF_USE =
  sql.raw(`(SELECT iif("use".id <= r.first_use_id + r.last_entry_id - r.first_entry_id, r.id, NULL)
  FROM usage_batch r WHERE r.first_use_id <= "use".id ORDER BY r.first_use_id DESC LIMIT 1)`);

/** What a query is asked with, by its name. */
export const asked = (name: string) => sql.placeholder(name);

/** Whether columns are what the query is asked with by their names. */
export function isAsked<Name extends string>(
  table: Readonly<Record<Name, AnySQLiteColumn>>,
  ...names: readonly Name[]
) {
  return and(...names.map((name) => eq(table[name], asked(name))));
}

/**
 * `column = 'value'` with the value in the statement, not as its parameter. SQLite uses an index of some rows of a table (`WHERE state =
 * 'in_doubt'`) only for a condition that it can read before it knows the parameters.
 */
export function isLiterally<Column extends AnySQLiteColumn>(column: Column, value: Column["_"]["data"]): SQL {
  return eq(column, value).inlineParams();
}

/** The rows of `run` that are not plans in the making. Literally, because of the index `run_unfinished`. */
export function isRun(): SQL {
  return ne(run.kind, "planning").inlineParams();
}

type OrNull<Column extends AnySQLiteColumn, Value> = Column["_"]["notNull"] extends true ? Value : Value | null;

/** An amount, checked while it is read. */
export function micros<Column extends AnySQLiteColumn>(column: Column): SQL<OrNull<Column, Micros>> {
  return sql`${column}`.mapWith(toMicros) as SQL<OrNull<Column, Micros>>;
}

/** What a column holds as JSON. */
export function parsed<Content>(column: AnySQLiteColumn): SQL<Content> {
  return sql`${column}`.mapWith((json: string): Content => JSON.parse(json)) as SQL<Content>;
}

/** A license, for a query that joins the table; null where a left join finds none. */
export const LICENSE = {
  licenseType: license.licenseType,
  cuid: license.cuid,
  licensePath: license.licensePath,
  permissions: parsed<License["permissions"]>(license.permissions),
};

/** The pages of the run of the outer query that are settled, or in doubt. Not a join: the counters of a run are one range of their key. */
export function countedPages(queries: Queries, kind: "settled" | "in_doubt"): SQL<number> {
  return sql<number>`${queries
    .select({ pages: sql`coalesce(sum(${tally.count}), 0)` })
    .from(tally)
    .where(and(eq(tally.runId, run.id), eq(tally.kind, kind)))}`;
}
