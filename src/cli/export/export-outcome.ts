/** What an export did. */
export interface ExportOutcome {
  readonly documents: number;
  readonly files: number;
  readonly bytes: number;
  /** Pages that could not be written as asked: at most MAX_SKIPPED of them; `skippedCount` is all. */
  readonly skipped: readonly { readonly url: string; readonly reason: string }[];
  readonly skippedCount: number;
}

export const MAX_SKIPPED = 1_000;
