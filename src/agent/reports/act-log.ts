import type { Act } from "../../ledger/act-ledger.ts";

/** Which part of the log. */
export interface LogOptions {
  /** At most so many. @default 50 */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before. @default from the newest act */
  readonly cursor?: string | undefined;
}

/** `log --json`: the newest acts first. */
export interface ActLog {
  readonly acts: readonly Act[];
  /** Give it as `cursor` to read on. Null: there are no older acts. */
  readonly nextCursor: string | null;
}
