/** Checks the arguments of the calls that read documents. */

import { parseLastMod } from "../../catalog/last-mod.ts";
import { type Check, type Checks, checkOptions, isFlag, isText, misused, show } from "../../check-options.ts";
import { isInstant } from "../../usage/use.ts";
import { options, type Take } from "../calls/call.ts";
import type { CursorFilter, DocumentFilter, RangeFilter } from "./document-filter.ts";

/** Of a cursor's name and its target. Enough for a long path, little for a row. */
const MAX_NAME_CHARS = 4_096;
const RUN_ID = /^run_\w+$/;

const isSince: Check = (value) =>
  toInstant(value) === null && !isRunId(value)
    ? "must be a Date, epoch milliseconds, an ISO 8601 date, or the id of a run"
    : null;
const isName: Check = (value) =>
  isText(value) === null && (value as string).length <= MAX_NAME_CHARS
    ? null
    : `must be a text of 1 to ${MAX_NAME_CHARS} characters`;

const CURSOR_CHECKS: Checks<CursorFilter> = {
  cursor: isName,
  site: isText,
  run: isText,
  deriveMarkdown: isFlag,
  trustClock: isFlag,
};

/** A DocumentFilter with its instant read. */
export interface DocumentCall {
  readonly host: string | null;
  readonly sinceAt: number | null;
  /** In place of an instant: since this run began. */
  readonly sinceRunId: string | null;
  readonly runId: string | null;
  readonly deriveMarkdown: boolean;
}

export interface CursorCall {
  readonly cursor: string;
  readonly host: string | null;
  readonly runId: string | null;
  readonly deriveMarkdown: boolean;
  readonly trustClock: boolean;
}

export interface RangeCall extends CursorCall {
  readonly target: string;
}

export const takeDocumentFilter: Take<DocumentCall> = (call, filter) => {
  const asked = options<DocumentFilter>({
    site: isText,
    host: isText,
    since: isSince,
    run: isText,
    deriveMarkdown: isFlag,
  })(call, filter);
  const { site, host, since, run, deriveMarkdown = false } = asked;
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

export const takeCursorFilter: Take<CursorCall> = (call, filter) =>
  toCursorCall(checkOptions<CursorFilter>(call, filter, CURSOR_CHECKS, { required: ["cursor"] }));

export const takeRangeFilter: Take<RangeCall> = (call, filter) => {
  const required = ["cursor", "target"] as const;
  const checked = checkOptions<RangeFilter>(call, filter, { ...CURSOR_CHECKS, target: isName }, { required });
  return { ...toCursorCall(checked), target: checked.target };
};

function toCursorCall({ cursor, site, run, deriveMarkdown = false, trustClock = false }: CursorFilter): CursorCall {
  return { cursor, host: site?.toLowerCase() ?? null, runId: run ?? null, deriveMarkdown, trustClock };
}

function isRunId(value: unknown): value is string {
  return typeof value === "string" && RUN_ID.test(value);
}

function toInstant(value: unknown): number | null {
  const at = value instanceof Date ? value.getTime() : typeof value === "string" ? parseLastMod(value) : value;
  return typeof at === "number" && isInstant(at) ? at : null;
}
