/** Checks the arguments of the calls that read documents. */

import { misused, show } from "../../check-options.ts";
import { fields, options, type Take } from "../calls/call.ts";
import { isRunId, toInstant } from "../calls/fields.ts";
import { INPUTS } from "../calls/inputs.ts";
import type { CursorFilter, RangeFilter } from "./document-filter.ts";

/** A DocumentFilter with its instant read. */
export interface DocumentCall {
  readonly host: string | null;
  readonly sinceAt: number | null;
  /** In place of an instant: since this run began. */
  readonly sinceRunId: string | null;
  readonly runId: string | null;
  readonly deriveMarkdown: boolean;
}

const takeOptions = options("documents");

export const takeDocumentFilter: Take<DocumentCall> = (call, filter) => {
  const { site, host, since, run, deriveMarkdown = false } = takeOptions(call, filter);
  if (site !== undefined && host !== undefined && site !== host) {
    throw misused(call, `site and host name two sites: ${show(site)} and ${show(host)}`, "Give only site.");
  }
  return {
    host: (site ?? host)?.toLowerCase() ?? null,
    sinceAt: since === undefined ? null : toInstant(since),
    sinceRunId: isRunId(since) && toInstant(since) === null ? since : null,
    runId: run ?? null,
    deriveMarkdown,
  };
};

/** Whether a filter names a cursor, so that it is checked as one. */
export const namesCursor = (filter: unknown): filter is CursorFilter =>
  typeof filter === "object" && filter !== null && "cursor" in filter && filter.cursor !== undefined;

const { target: _, ...CURSOR_INPUT } = INPUTS.documentRange;
export const takeCursorFilter = withSite(fields<CursorFilter>(CURSOR_INPUT, ["cursor"]));
export const takeRangeFilter = withSite(fields<RangeFilter>(INPUTS.documentRange, ["cursor", "target"]));

/** The site as the ledger spells it. */
function withSite<Filter extends CursorFilter>(take: Take<Filter>): Take<Filter> {
  return (call, given) => {
    const filter = take(call, given);
    return { ...filter, site: filter.site?.toLowerCase() };
  };
}
