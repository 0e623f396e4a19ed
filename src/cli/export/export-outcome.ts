/** The result of an export. */
export interface ExportOutcome {
  readonly documents: number;
  readonly files: number;
  readonly bytes: number;
  /** Pages that could not be written as requested. The list has at most MAX_SKIPPED entries; `skippedCount` counts all. */
  readonly skipped: readonly { readonly url: string; readonly reason: string }[];
  readonly skippedCount: number;
}

export const MAX_SKIPPED = 1_000;
