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

export const NOTHING: ExportOutcome = { documents: 0, files: 0, bytes: 0, skipped: [], skippedCount: 0 };

export function addOutcomes(one: ExportOutcome, other: ExportOutcome): ExportOutcome {
  return {
    documents: one.documents + other.documents,
    files: one.files + other.files,
    bytes: one.bytes + other.bytes,
    skipped: [...one.skipped, ...other.skipped].slice(0, MAX_SKIPPED),
    skippedCount: one.skippedCount + other.skippedCount,
  };
}
