/** The arguments of the agent's calls, checked at run time. Each function returns what the call may work with. */
import {
  type Check,
  type Checks,
  checkArgument,
  checkOptions,
  isCount,
  isFlag,
  isFunction,
  isNullOr,
  isObject,
  isOneOf,
  isSignal,
  isText,
  isTexts,
  misused,
  show,
} from "../../check-options.ts";
import { isLicetError } from "../../errors.ts";
import { RUN_STATE_FILTERS } from "../../ledger/run-reports.ts";
import { toMicros } from "../../money/micros.ts";
import type { Money } from "../../money/money.ts";
import { type MoneyInput, money } from "../../money/money-input.ts";
import { RUN_ORDERS } from "../../policy/rule.ts";
import { STATEMENT_GROUPINGS } from "../../statement/statement.ts";
import { suggestKey } from "../../suggest-key.ts";
import { parseDuration } from "../../time/duration.ts";
import type { ExplainOptions, ReportOptions, UseInput, UseOptions } from "../agent.ts";
import type { CheckOptions } from "../checks/check-report.ts";
import type { CopyOptions } from "../copies/backup-report.ts";
import { AGENT_EVENTS } from "../events/events.ts";
import { type RunList, toRunList } from "../lists/list-input.ts";
import type { PruneOptions } from "../prune-report.ts";
import type { CheckedInvoiceLine, DoubtWord, InvoiceLine } from "../reports/doubt-word.ts";
import { PURCHASE_STATE_FILTERS, type RunDetailsFilter, type RunFilter } from "../reports/runs-report.ts";
import type { ScheduleFilter } from "../reports/schedule-report.ts";

import type { StatementFilter } from "../reports/statement-agent.ts";
import type { StatusOptions } from "../reports/status-report.ts";
import type { PurgeOptions } from "../rights/rights-report.ts";
import type { RunOptions } from "../runs/run-options.ts";

/** RunOptions with `maxSpend` parsed, and a list that can be opened. */
export interface RunCall extends Omit<RunOptions, "maxSpend" | "list"> {
  readonly maxSpend?: Money;
  readonly list?: RunList;
}

export const isMoney: Check = (value) => {
  const failure = failureOf(() => money(value as MoneyInput));
  return failure === null
    ? null
    : `must be an amount of money (like "12.50 USD", or {micros, currency} with a whole number): ${failure}`;
};

const MAX_DOCUMENT_CALLS = 1024;
const isConcurrency: Check = (value) =>
  isCount(value) === null && (value as number) <= MAX_DOCUMENT_CALLS
    ? null
    : `must be a whole number from 1 to ${MAX_DOCUMENT_CALLS}`;

const RUN_CHECKS: Checks<RunOptions> = {
  hosts: isTexts,
  resume: isText,
  fresh: isFlag,
  skipIfRunning: isFlag,
  trustClock: isFlag,
  plan: isText,
  list: (value) => (isObject(value) ? null : "must be a file or the pages themselves"),
  maxSpend: isMoney,
  order: isOneOf(RUN_ORDERS),
  maxPages: isCount,
  onDocument: isFunction,
  onDocumentConcurrency: isConcurrency,
  signal: isSignal,
};
const CANCEL_CHECKS: Checks<{ signal?: AbortSignal }> = { signal: isSignal };
const CHECK_CHECKS: Checks<CheckOptions> = { alerts: isFlag, offline: isFlag };
const REPORT_CHECKS: Checks<ReportOptions> = { signal: isSignal, retryRejected: isFlag };
const isDuration =
  (example: string): Check =>
  (value) =>
    typeof value === "string" && failureOf(() => parseDuration(value)) === null
      ? null
      : `must be a duration, such as "${example}"`;

const PURGE_CHECKS: Checks<PurgeOptions> = {
  hosts: isTexts,
  urls: isTexts,
  reason: isText,
  dryRun: isFlag,
  trustClock: isFlag,
};
const STATUS_CHECKS: Checks<StatusOptions> = { expiring: isDuration("30d") };

const PRUNE_CHECKS: Checks<PruneOptions> = {
  olderThan: isDuration("90d"),
  dryRun: isFlag,
  trustClock: isFlag,
};
const COPY_CHECKS: Checks<CopyOptions> = { force: isFlag, signal: isSignal, onProgress: isFunction };
const ACCEPT_CHECKS: Checks<{ dryRun?: boolean }> = { dryRun: isFlag };
const EXPLAIN_CHECKS: Checks<ExplainOptions> = { needsLedger: isFlag };
const USE_OPTION_CHECKS: Checks<UseOptions> = { overBudget: isFlag, dryRun: isFlag };
const HISTORY_CHECKS: Checks<{ daysAgo?: number; limit?: number }> = { daysAgo: isCount, limit: isCount };
const RUN_FILTER_CHECKS: Checks<RunFilter> = { limit: isCount, site: isText, state: isOneOf(RUN_STATE_FILTERS) };
const SCHEDULE_CHECKS: Checks<ScheduleFilter> = { limit: isCount, site: isText };
const STATEMENT_CHECKS: Checks<StatementFilter> = {
  month: isText,
  by: isOneOf(STATEMENT_GROUPINGS),
  site: isText,
  trustClock: isFlag,
};
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

const INVOICE_EXAMPLE = 'agent.resolveInvoice([{ url: "https://…", amount: "0.02 USD" }], { charged: true })';
const INVOICE_CHECKS: Checks<InvoiceLine> = {
  line: isCount,
  purchaseId: isNullOr(isCount),
  url: isNullOr(isText),
  // The currency may be missing, so any currency is put in its place.
  amount: isNullOr((value) =>
    isObject(value) && value.currency === null ? isMoney({ ...value, currency: "USD" }) : isMoney(value),
  ),
};

export function checkRunOptions(options: unknown): RunCall {
  const { maxSpend, list, ...rest } = checkOptions<RunOptions>("run", options, RUN_CHECKS);
  return {
    ...rest,
    ...(maxSpend === undefined ? {} : { maxSpend: money(maxSpend) }),
    ...(list === undefined ? {} : { list: toRunList(list) }),
  };
}

export const checkCancelOptions = (options: unknown) =>
  checkOptions<{ readonly signal?: AbortSignal }>("cancel", options, CANCEL_CHECKS);
export const checkCheckOptions = (options: unknown) => checkOptions<CheckOptions>("check", options, CHECK_CHECKS);
export const checkReportOptions = (options: unknown) => checkOptions<ReportOptions>("report", options, REPORT_CHECKS);
export const checkPruneOptions = (options: unknown) => checkOptions<PruneOptions>("prune", options, PRUNE_CHECKS);
export const checkPurgeOptions = (options: unknown) => checkOptions<PurgeOptions>("purge", options, PURGE_CHECKS);
export const checkStatusOptions = (options: unknown) => checkOptions<StatusOptions>("status", options, STATUS_CHECKS);
export const checkExplainOptions = (options: unknown) =>
  checkOptions<ExplainOptions>("explain", options, EXPLAIN_CHECKS);
export const checkCopyOptions = (name: string, options: unknown) =>
  checkOptions<CopyOptions>(name, options, COPY_CHECKS);
export const checkAcceptOptions = (options: unknown) =>
  checkOptions<{ readonly dryRun?: boolean }>("acceptRestored", options, ACCEPT_CHECKS);
export const checkUseOptions = (options: unknown) => checkOptions<UseOptions>("use", options, USE_OPTION_CHECKS);
export const checkHistoryQuery = (query: unknown) =>
  checkOptions<{ readonly daysAgo?: number; readonly limit?: number }>("history", query, HISTORY_CHECKS);
export const checkRunFilter = (filter: unknown) => checkOptions<RunFilter>("runs", filter, RUN_FILTER_CHECKS);
export const checkScheduleFilter = (filter: unknown) =>
  checkOptions<ScheduleFilter>("schedule", filter, SCHEDULE_CHECKS);
export const checkStatementFilter = (filter: unknown) =>
  checkOptions<StatementFilter>("statement", filter, STATEMENT_CHECKS);
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

/** @returns the lines, complete; each line is checked when it is read */
export function checkInvoiceLines(lines: unknown): AsyncIterable<CheckedInvoiceLine> {
  if (!isList(lines)) {
    throw misused("resolveInvoice", `the lines must be a list, not ${show(lines)}`, INVOICE_EXAMPLE);
  }
  return (async function* checked() {
    let place = 0;
    for await (const given of lines) {
      place++;
      const checked = checkOptions<InvoiceLine>("resolveInvoice", given, INVOICE_CHECKS);
      const { line = place, purchaseId = null, url = null, amount = null } = checked;
      if (purchaseId === null && url === null) {
        throw misused("resolveInvoice", "a line must have a purchaseId or a url", INVOICE_EXAMPLE);
      }
      yield { line, purchaseId, url, amount: amount === null ? null : toInvoiceAmount(amount) };
    }
  })();
}

/** An amount without a currency is in the currency of the quote. */
function toInvoiceAmount(amount: NonNullable<InvoiceLine["amount"]>): NonNullable<CheckedInvoiceLine["amount"]> {
  if (typeof amount === "string" || amount.currency !== null) {
    return money(amount as MoneyInput);
  }
  return { micros: toMicros(amount.micros), currency: null };
}

/** @returns the uses; each use is checked when it is read */
export function checkUses(uses: unknown): AsyncIterable<UseInput> {
  if (!isList(uses)) {
    throw misused("use", `the uses must be a list, not ${show(uses)}`, 'agent.use([{ url: "https://…", times: 1 }])');
  }
  return (async function* checked() {
    for await (const use of uses) {
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
  checkArgument(call, "listener", listener, isFunction);
}

/** A text is not a list, although it is iterable, character by character. */
function isList(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

function failureOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return isLicetError(error, "MONEY_INVALID") ? error.details.reason : String(error);
  }
}
