import type Database from "better-sqlite3";

export interface WorkOfTable {
  readonly insert: number;
  readonly update: number;
  readonly delete: number;
  /** Index entries that were written or removed. */
  readonly entries: number;
}

export interface Work {
  readonly rows: number;
  readonly entries: number;
  readonly statements: number;
  /** Of transactions that wrote something. */
  readonly commits: number;
  readonly tables: Readonly<Record<string, WorkOfTable>>;
}

export function watchConnections(driver: typeof Database): { begin(): void; read(): Work; end(): void };
