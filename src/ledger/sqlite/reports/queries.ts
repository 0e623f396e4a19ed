/**
 * What every report is built on: drizzle over the ledger's own connection. A query is written with drizzle's builder over the tables of
 * `schema/`, and prepared once, when the reports are made. Where the builder has no words for something, a `sql` fragment stands there.
 */
import type { SQL } from "drizzle-orm";
import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Micros, toMicros } from "../../../money/micros.ts";
import type { License } from "../../../rates/license.ts";
import { drizzle, eq, ne, sql } from "../engine/drizzle.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { license } from "../schema/license.ts";
import { run } from "../schema/run.ts";

export interface ReportDeps extends Pick<LedgerCore, "read"> {
  readonly queries: BetterSQLite3Database;
}

export function createReportDeps({ db, read }: LedgerCore): ReportDeps {
  return { read, queries: drizzle(db) };
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
