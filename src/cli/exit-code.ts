/** The only place where results become exit codes. */
import type { FlushReport } from "../agent/agent.ts";
import type { AlertsReport } from "../agent/alerts/alerts-agent.ts";
import type { CheckReport } from "../agent/checks/check-report.ts";
import type { BackupReport } from "../agent/copies/backup-report.ts";
import type { VerifiedFile } from "../agent/evidence/verify-documents.ts";
import type { FetchReport } from "../agent/fetch/fetch-report.ts";
import type { PlanReport } from "../agent/plans/plan-report.ts";
import type { Explanation } from "../agent/reports/explanation.ts";
import type { PurgeReport } from "../agent/rights/rights-report.ts";
import type { CancelReport, RunReport } from "../agent/runs/run-report.ts";
import { countUnbudgeted } from "../agent/runs/run-warnings.ts";
import { ERROR_CODES, type ErrorCode, isLicetError } from "../errors.ts";
import { ANSWERED_STOPS } from "../ledger/answered-stops.ts";
import type { AuditReport } from "../ledger/ledger-reports.ts";

export const EXIT = {
  done: 0,
  failed: 1,
  badUsage: 2,
  budgetExhausted: 3,
  incomplete: 4,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BAD_USAGE: ReadonlySet<ErrorCode> = new Set([
  "NODE_UNSUPPORTED",
  "CONFIG_NOT_FOUND",
  "CONFIG_INVALID",
  "ENV_MISSING",
  "USAGE_INVALID",
  "MONEY_INVALID",
  "DURATION_INVALID",
  "INPUT_INVALID",
  "PAGE_URL_INVALID",
  "PLAN_REFUSED",
]);

export function exitCodeOfError(error: unknown): ExitCode {
  if (!isLicetError(error)) {
    return EXIT.failed;
  }
  if (error.code === "INTERRUPTED") {
    return EXIT.interrupted;
  }
  return BAD_USAGE.has(error.code) ? EXIT.badUsage : EXIT.failed;
}

/** Site stops that left pages unbought although no rule denied them. Exit codes count these pages as failed. */
const FAILED_STOPS: ReadonlySet<string> = new Set(["not_enabled", ...ANSWERED_STOPS, "walk_failed", "failed"]);

/**
 * 4 takes precedence over 3: money in doubt needs a person, a spent budget needs only time. Uses that could not be reported count
 * as incomplete too, because a cron job that never reports must not look successful.
 */
export function exitCodeOfRun(
  report: Pick<
    RunReport,
    "state" | "endedBy" | "pages" | "denials" | "sites" | "list" | "plan" | "usage" | "skipped" | "takenOver"
  >,
): ExitCode {
  const { state, endedBy, pages, denials, sites, list, plan, usage, skipped, takenOver } = report;
  if (skipped) {
    return EXIT.done;
  }
  // Nobody interrupted it: it waits, and to run it again at once changes nothing.
  if (state === "interrupted" && endedBy === "itself") {
    return EXIT.incomplete;
  }
  // Also when another process has cancelled the run or works on it now.
  if (state === "interrupted" || state === "cancelled" || state === "running") {
    return EXIT.interrupted;
  }
  if (state === "failed") {
    return EXIT.failed;
  }
  const siteFailed = sites.some(({ stop }) => stop !== null && FAILED_STOPS.has(stop));
  const leftInDoubt = takenOver.some(({ probed, inDoubt }) => probed > 0 && inDoubt > 0);
  const isUnreported = usage.pending > 0 || usage.rejected > 0;
  if (
    pages.failed > 0 ||
    pages.inDoubt > 0 ||
    siteFailed ||
    isUnreported ||
    leftInDoubt ||
    hasBadLines(list) ||
    hasMissed(plan)
  ) {
    return EXIT.incomplete;
  }
  const isSpent = state === "budget_exhausted" || state === "max_spend";
  return isSpent || lacksBudget(pages, denials) ? EXIT.budgetExhausted : EXIT.done;
}

/** A site that cannot be planned is a failure: nobody knows what it would cost. Lines that name no page to buy need a person, as they do in a run. */
export function exitCodeOfPlan({
  list,
  sites,
  pages,
  denials,
}: Pick<PlanReport, "list" | "sites" | "pages" | "denials">): ExitCode {
  if (sites.some(({ stop }) => stop !== null && FAILED_STOPS.has(stop))) {
    return EXIT.failed;
  }
  if (hasBadLines(list)) {
    return EXIT.incomplete;
  }
  return lacksBudget(pages, denials) ? EXIT.budgetExhausted : EXIT.done;
}

/** Nothing would be bought or was bought, and at least some of it for want of a budget in its currency. */
function lacksBudget({ approved }: { readonly approved: number }, denials: Readonly<Record<string, number>>): boolean {
  return approved === 0 && countUnbudgeted(denials) > 0;
}

function hasBadLines(list: RunReport["list"]): boolean {
  return list !== null && Object.keys(list.rejected).length > 0;
}

/** Reasons that the state of the run tells: its exit code is theirs. */
const RUN_LIMITS: ReadonlySet<string> = new Set(["budget_exhausted", "max_pages", "max_spend"]);

/** Whether pages that somebody approved no longer fit: a person has to know, and may make a new plan. */
function hasMissed(plan: RunReport["plan"]): boolean {
  return plan !== null && Object.keys(plan.missed).some((reason) => !RUN_LIMITS.has(reason));
}

/** 1 when nothing could be answered because licet or the gateway failed; 3 when only a budget left pages unbought. */
export function exitCodeOfFetch({ results, budgetExhausted, interrupted }: FetchReport): ExitCode {
  if (interrupted) {
    return EXIT.interrupted;
  }
  const left = results.filter(({ document }) => document === null);
  if (left.length === 0) {
    return EXIT.done;
  }
  if (left.length === results.length && left.every(({ outcome }) => outcome === "invalid")) {
    return EXIT.badUsage;
  }
  if (left.length === results.length && left.every(({ reason }) => reason !== null && reason in ERROR_CODES)) {
    return EXIT.failed;
  }
  const isBudget = left.every(({ reason }) => reason === "budget_exhausted" || reason === "max_spend");
  return budgetExhausted && isBudget ? EXIT.budgetExhausted : EXIT.incomplete;
}

/** A cancelled run leaves only what a person must resolve. */
export function exitCodeOfCancel({ pages }: Pick<CancelReport, "pages">): ExitCode {
  return pages.inDoubt > 0 ? EXIT.incomplete : EXIT.done;
}

/** @param interrupted whether a signal ended the flush early */
export function exitCodeOfFlush(report: FlushReport, interrupted: boolean): ExitCode {
  if (interrupted) {
    return EXIT.interrupted;
  }
  if (report.stopped !== null && !report.allRefused) {
    return EXIT.failed;
  }
  return report.allRefused || report.rejectedEntries > 0 || report.needsReconcile > 0 ? EXIT.incomplete : EXIT.done;
}

export function exitCodeOfUse(outcome: {
  readonly refused: number;
  readonly badLines: number;
  readonly overBudget: boolean;
}): ExitCode {
  if (outcome.refused > 0 || outcome.badLines > 0) {
    return EXIT.incomplete;
  }
  return outcome.overBudget ? EXIT.budgetExhausted : EXIT.done;
}

export function exitCodeOfResolve(outcome: { readonly unmatched: number; readonly badLines: number }): ExitCode {
  return outcome.unmatched > 0 || outcome.badLines > 0 ? EXIT.incomplete : EXIT.done;
}

export function exitCodeOfExport(outcome: { readonly skipped: number }): ExitCode {
  return outcome.skipped > 0 ? EXIT.incomplete : EXIT.done;
}

/** A conclusion without the gateway is drawn from the ledger alone, which a script must notice. */
export function exitCodeOfExplain({ isGatewayDown }: Pick<Explanation, "isGatewayDown">): ExitCode {
  return isGatewayDown ? EXIT.failed : EXIT.done;
}

/** What was named and is not there, and text that may still be readable, need a person. */
export function exitCodeOfPurge({ unknown, cleaning }: Pick<PurgeReport, "unknown" | "cleaning">): ExitCode {
  return unknown.length > 0 || cleaning?.state === "due" ? EXIT.incomplete : EXIT.done;
}

export function exitCodeOfAudit(report: Pick<AuditReport, "ok">): ExitCode {
  return report.ok ? EXIT.done : EXIT.failed;
}

/** The copy is complete, and the ledger that it was made from has violations. */
export function exitCodeOfCopy({ audit }: Pick<BackupReport, "audit">): ExitCode {
  return audit.ok ? EXIT.done : EXIT.incomplete;
}

export function exitCodeOfAlerts({ ok }: Pick<AlertsReport, "ok">): ExitCode {
  return ok ? EXIT.done : EXIT.failed;
}

/** A document that is not what it says, and a file without one. */
export function exitCodeOfVerify({ ok }: Pick<VerifiedFile, "ok">): ExitCode {
  return ok ? EXIT.done : EXIT.failed;
}

/** A warning changes it only where nothing would be bought for want of a budget, as in a run. */
export function exitCodeOfCheck({ ok, checks }: Pick<CheckReport, "ok" | "checks">): ExitCode {
  if (!ok) {
    return EXIT.failed;
  }
  return checks.some(({ code }) => code === "no_budget_in_currency") ? EXIT.budgetExhausted : EXIT.done;
}
