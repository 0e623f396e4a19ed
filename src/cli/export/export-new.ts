/**
 * `--since last`: the new documents of a cursor, each exactly once. The range is on disk before anything is written; then the file, complete and
 * with its name; then the cursor. Killed at any point, the next attempt writes the same documents to the same place.
 */
import type { Agent } from "../../agent/agent.ts";
import type { DocumentRange, RangeFilter } from "../../agent/documents/document-filter.ts";
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import { addOutcomes, type ExportOutcome, NOTHING } from "./export-outcome.ts";
import type { ExportFormat, ExportPlace, ExportSettings } from "./export-place.ts";

/** What the cursor did, for the report. Null numbers: nothing was new. */
export interface CursorReport {
  readonly name: string;
  readonly after: number | null;
  readonly through: number | null;
  /** Whether an attempt that did not end was repeated. */
  readonly repeated: boolean;
}

export interface NewDocuments extends RangeFilter {
  /** Whether each range has files of its own. Otherwise a range replaces the one before, and each call writes one. */
  readonly keepsRanges: boolean;
}

/** @returns whether everything arrived: only then the cursor moves */
export type WriteRange = (
  documents: AsyncIterable<StoredDocument>,
  range: DocumentRange,
) => Promise<{ readonly outcome: ExportOutcome; readonly hasArrived: boolean }>;

export async function exportNew(
  agent: Pick<Agent, "documentRange">,
  { keepsRanges, ...filter }: NewDocuments,
  write: WriteRange,
): Promise<{ readonly outcome: ExportOutcome; readonly report: CursorReport }> {
  let outcome = NOTHING;
  let report: CursorReport = { name: filter.cursor, after: null, through: null, repeated: false };
  for (;;) {
    const range = await agent.documentRange(filter);
    if (range === null) {
      return { outcome, report };
    }
    try {
      const written = await write(range.documents(), range);
      outcome = addOutcomes(outcome, written.outcome);
      if (!written.hasArrived) {
        return { outcome, report };
      }
      await range.done();
    } finally {
      await range.close();
    }
    const { after, through, isRepeated } = range;
    report = { ...report, after: report.after ?? after, through, repeated: report.repeated || isRepeated };
    if (!isRepeated || !keepsRanges) {
      return { outcome, report };
    }
  }
}

/** The cursor that nobody named: one for what is exported where. */
export function cursorNameOf({ format, site, run }: ExportSettings, place: ExportPlace): string {
  const selection = [site, run].filter((part) => part !== null);
  return ["export", format, ...selection, "to", describePlace(place)].join(" ");
}

export function describePlace(place: ExportPlace): string {
  switch (place.kind) {
    case "stdout":
      return "stdout";
    case "directory":
      return place.path;
    case "file":
      return `${place.path}/${place.name}`;
    default:
      return place satisfies never;
  }
}

/** What a repeated attempt must not change. */
export const targetOf = (format: ExportFormat, place: ExportPlace, ending: string): string =>
  `${describePlace(place)} (${format}${ending})`;
