/**
 * Checks the arguments of the library's calls at run time. TypeScript does not check values from JSON, from a form, or from
 * JavaScript. A wrong argument throws LicetError USAGE_INVALID before anything begins. Without these checks, a limit of `NaN`
 * would not limit anything.
 */
import { suggestKey } from "../config/suggest-key.ts";
import { isLicetError, LicetError } from "../errors.ts";
import { RUN_STATE_FILTERS } from "../ledger/run-reports.ts";
import { toMicros } from "../money/micros.ts";
import type { Money } from "../money/money.ts";
import { parseMoney } from "../money/parse-money.ts";
import { parseDuration } from "../time/duration.ts";
import type { DocumentFilter, PruneOptions, ReportOptions, RunOptions, UseInput, UseOptions } from "./agent.ts";
import type { DoubtWord } from "./doubt-word.ts";
import { AGENT_EVENTS } from "./events.ts";
import { PURCHASE_STATE_FILTERS, type RunDetailsFilter, type RunFilter } from "./runs-report.ts";

/** RunOptions with `maxSpend` parsed. */
export interface RunCall extends Omit<RunOptions, "maxSpend"> {
  readonly maxSpend?: Money;
}

/** Returns the problem of a value, as the end of a sentence, or null when there is none. */
type Check = (value: unknown) => string | null;
/** One check for each option. A new option without a check is a type error here. */
type Checks<Options> = { readonly [Name in keyof Required<Options>]: Check };

const MAX_SHOWN_CHARS = 80;
const CURRENCY = /^[A-Z][A-Z0-9]{2,7}$/;

const isText: Check = (value) => (typeof value === "string" && value !== "" ? null : "must be a text");
const isFlag: Check = (value) => (typeof value === "boolean" ? null : "must be true or false");
const isCount: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 1 ? null : "must be a whole number, 1 or more";
const isTexts: Check = (value) =>
  Array.isArray(value) && value.every((one) => isText(one) === null) ? null : "must be a list of texts";
const isSignal: Check = (value) =>
  isObject(value) && typeof value.aborted === "boolean" && typeof value.addEventListener === "function"
    ? null
    : "must be an AbortSignal";
const isOneOf =
  (values: readonly string[]): Check =>
  (value) =>
    typeof value === "string" && values.includes(value) ? null : `must be one of ${values.join(", ")}`;
const isMoney: Check = (value) => {
  if (typeof value === "string") {
    const failure = failureOf(() => parseMoney(value));
    return failure === null ? null : `is not an amount of money (like "12.50 USD"): ${failure}`;
  }
  const { micros, currency } = isObject(value) ? value : {};
  const isAmount = Number.isSafeInteger(micros) && (micros as number) >= 0;
  return isAmount && typeof currency === "string" && CURRENCY.test(currency)
    ? null
    : 'must be an amount of money: a text like "12.50 USD", or {micros, currency} with a whole number, 0 or more';
};

const RUN_CHECKS: Checks<RunOptions> = {
  hosts: isTexts,
  resume: isText,
  fresh: isFlag,
  skipIfRunning: isFlag,
  maxSpend: isMoney,
  maxPages: isCount,
  signal: isSignal,
};
const PLAN_CHECKS: Checks<Pick<RunOptions, "hosts" | "signal">> = { hosts: isTexts, signal: isSignal };
const CANCEL_CHECKS: Checks<{ signal?: AbortSignal }> = { signal: isSignal };
const REPORT_CHECKS: Checks<ReportOptions> = { signal: isSignal, retryRejected: isFlag };
const PRUNE_CHECKS: Checks<PruneOptions> = {
  olderThan: (value) =>
    typeof value === "string" && failureOf(() => parseDuration(value)) === null
      ? null
      : 'must be a duration, such as "90d"',
  dryRun: isFlag,
};
const USE_OPTION_CHECKS: Checks<UseOptions> = { overBudget: isFlag, dryRun: isFlag };
const DOCUMENT_CHECKS: Checks<DocumentFilter> = { host: isText, deriveMarkdown: isFlag };
const HISTORY_CHECKS: Checks<{ daysAgo?: number; limit?: number }> = { daysAgo: isCount, limit: isCount };
const RUN_FILTER_CHECKS: Checks<RunFilter> = { limit: isCount, site: isText, state: isOneOf(RUN_STATE_FILTERS) };
const RUN_DETAILS_CHECKS: Checks<RunDetailsFilter> = {
  limit: isCount,
  site: isText,
  license: isText,
  state: isOneOf(PURCHASE_STATE_FILTERS),
};
const AGENT_CHECKS: Checks<{ cwd?: string; env?: object }> = {
  cwd: isText,
  env: (value) => (isObject(value) ? null : "must be an object of variables"),
};
/**
 * Only types are checked here, because a wrong type is a programming error. Values are checked one by one when they are recorded,
 * and refused with a reason.
 */
const USE_CHECKS: Checks<UseInput> = {
  url: isText,
  times: (value) => (typeof value === "number" ? null : "must be a number"),
  usedAt: (value) =>
    typeof value === "string" || typeof value === "number" ? null : "must be an ISO 8601 date or epoch milliseconds",
  key: isText,
};

export function checkRunOptions(options: unknown): RunCall {
  const { maxSpend, ...rest } = checkOptions<RunOptions>("run", options, RUN_CHECKS);
  if (maxSpend === undefined) {
    return rest;
  }
  const money = typeof maxSpend === "string" ? parseMoney(maxSpend) : maxSpend;
  return { ...rest, maxSpend: { micros: toMicros(money.micros), currency: money.currency } };
}

export const checkPlanOptions = (options: unknown) =>
  checkOptions<Pick<RunOptions, "hosts" | "signal">>("plan", options, PLAN_CHECKS);
export const checkCancelOptions = (options: unknown) =>
  checkOptions<{ readonly signal?: AbortSignal }>("cancel", options, CANCEL_CHECKS);
export const checkReportOptions = (options: unknown) => checkOptions<ReportOptions>("report", options, REPORT_CHECKS);
export const checkPruneOptions = (options: unknown) => checkOptions<PruneOptions>("prune", options, PRUNE_CHECKS);
export const checkUseOptions = (options: unknown) => checkOptions<UseOptions>("use", options, USE_OPTION_CHECKS);
export const checkDocumentFilter = (filter: unknown) =>
  checkOptions<DocumentFilter>("documents", filter, DOCUMENT_CHECKS);
export const checkHistoryQuery = (query: unknown) =>
  checkOptions<{ readonly daysAgo?: number; readonly limit?: number }>("history", query, HISTORY_CHECKS);
export const checkRunFilter = (filter: unknown) => checkOptions<RunFilter>("runs", filter, RUN_FILTER_CHECKS);
export const checkRunDetailsFilter = (filter: unknown) =>
  checkOptions<RunDetailsFilter>("runDetails", filter, RUN_DETAILS_CHECKS);
export const checkAgentOptions = (options: unknown) =>
  checkOptions<{ readonly cwd?: string; readonly env?: Readonly<Record<string, string | undefined>> }>(
    "createAgent",
    options,
    AGENT_CHECKS,
  );

export function checkConfigObject(config: unknown): void {
  if (!isObject(config) || Array.isArray(config)) {
    throw misused(
      "createAgent",
      `the configuration must be an object, not ${show(config)}`,
      "give the result of loadConfig({ path }), or an object",
    );
  }
}

export const checkResolveOptions = (options: unknown) =>
  checkOptions<{ readonly keepOff?: boolean }>("resolve", options, { keepOff: isFlag });

/** Checks the answer of a person about purchases in doubt. It must say whether they were charged. */
export function checkDoubtWord(call: string, word: unknown): DoubtWord {
  const checks: Checks<DoubtWord> = { charged: isFlag, keepOff: isFlag };
  const { charged, ...rest } = checkOptions<Partial<DoubtWord>>(call, word, checks);
  return { ...rest, charged: checkFlag(call, "charged", charged) };
}

/** A text is refused because it is iterable too, character by character. */
export function checkList(call: string, name: string, value: unknown): void {
  const isList = isObject(value) && (Symbol.iterator in value || Symbol.asyncIterator in value);
  checkArgument(call, name, value, () => (isList ? null : "must be a list"));
}

/** @returns the uses; each use is checked when it is read */
export function checkUses(uses: unknown): AsyncIterable<UseInput> {
  // A text is iterable too, character by character.
  const isList = isObject(uses) && (Symbol.iterator in uses || Symbol.asyncIterator in uses);
  if (!isList) {
    throw misused("use", `the uses must be a list, not ${show(uses)}`, 'agent.use([{ url: "https://…", times: 1 }])');
  }
  return (async function* checked() {
    for await (const use of uses as unknown as AsyncIterable<unknown>) {
      const { url } = checkOptions<UseInput>("use", use, USE_CHECKS);
      if (url === undefined) {
        throw misused("use", "a use must have a url", 'agent.use([{ url: "https://…", times: 1 }])');
      }
      yield use as UseInput;
    }
  })();
}

export function checkText(call: string, name: string, value: unknown): string {
  return checkArgument(call, name, value, isText) as string;
}

export function checkCount(call: string, name: string, value: unknown): number {
  return checkArgument(call, name, value, isCount) as number;
}

export function checkFlag(call: string, name: string, value: unknown): boolean {
  return checkArgument(call, name, value, isFlag) as boolean;
}

export function checkEvent(call: string, name: unknown, listener: unknown): void {
  if (typeof name !== "string" || !AGENT_EVENTS.includes(name)) {
    throw misused(call, `there is no event ${show(name)}`, suggestKey(String(name), AGENT_EVENTS));
  }
  checkArgument(call, "listener", listener, (value) => (typeof value === "function" ? null : "must be a function"));
}

function checkArgument(call: string, name: string, value: unknown, check: Check): unknown {
  const wrong = check(value);
  if (wrong !== null) {
    throw misused(call, `${name} ${wrong}, not ${show(value)}`, `see the documentation of ${call}`);
  }
  return value;
}

/** An undefined value counts as absent. */
function checkOptions<Options>(call: string, options: unknown, checks: Checks<Options>): Options {
  if (!isObject(options) || Array.isArray(options)) {
    throw misused(call, `what it is given must be an object, not ${show(options)}`, `like ${call}({ … })`);
  }
  const known = Object.keys(checks);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (!known.includes(name)) {
      throw misused(call, `there is no option ${show(name)}`, suggestKey(name, known));
    }
    checkArgument(call, name, value, checks[name as keyof Options]);
  }
  return Object.fromEntries(given) as Options;
}

function misused(call: string, what: string, hint: string): LicetError {
  return new LicetError("USAGE_INVALID", `${call}: ${what}`, { hint, details: { call } });
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null;
}

/** Shows a value as a program would write it, shortened. It never shows the content of an object, which may contain a secret. */
function show(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.slice(0, MAX_SHOWN_CHARS));
  }
  return Array.isArray(value) ? "a list" : isObject(value) ? "an object" : String(value);
}

function failureOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return isLicetError(error) ? String(error.details.reason ?? error.message) : String(error);
  }
}
