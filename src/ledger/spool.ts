/** Rows that wait to be read in another order than they came, and that are too many for the memory. Nothing of them outlives the process. */
export interface SpoolRow {
  /** What the rows are sorted by, and then by `at`. */
  readonly key: string;
  /** An integer. */
  readonly at: number;
  readonly text: string;
}

export interface Spool {
  /** @throws LicetError DISK_FULL when there is no room for a temporary file */
  add(rows: readonly SpoolRow[]): void;
  /** All rows, by key, then by `at`, then as they were added. Nothing is added and nothing else is read until the end. */
  sorted(): Iterable<SpoolRow>;
  /** Its file is gone then. A second call does nothing. */
  close(): void;
}
