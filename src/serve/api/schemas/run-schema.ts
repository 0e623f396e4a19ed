/** Runs: the list, the details of one, and the report of one. */
import { z } from "zod";
import type { BudgetWarning } from "../../../agent/alerts/budget-warnings.ts";
import type { PlanOutcome } from "../../../agent/plans/plan-outcome.ts";
import type { RunDetails, RunList } from "../../../agent/reports/runs-report.ts";
import type { CancelReport, RunReport } from "../../../agent/runs/run-report.ts";
import type { PageCounts, SiteSummary } from "../../../ledger/ledger-reports.ts";
import { LIST_SOURCES, type ListSummary } from "../../../ledger/list-ledger.ts";
import { RUN_TRIGGERS } from "../../../ledger/run-ledger.ts";
import type { RunOverview } from "../../../ledger/run-reports.ts";
import { DENIAL_REASONS } from "../../../policy/verdict.ts";
import { PURCHASE_STATES } from "../../../purchase/purchase.ts";
import { RUN_STATES } from "../../../run/run-state.ts";
import { licenseSchema } from "./license-schema.ts";
import {
  byCurrency,
  countSchema,
  countsSchema,
  currencySchema,
  instantSchema,
  isoInstantSchema,
  microsSchema,
  moneySchema,
  spendSchema,
} from "./money-schema.ts";

export const runIdSchema = z.string().describe("A run's id, such as run_0mi5c2k1x8f3a2b4c5d6.");
export const runStateSchema = z.enum(RUN_STATES);
export const purchaseStateSchema = z.enum(PURCHASE_STATES);
export const runTriggerSchema = z.enum(RUN_TRIGGERS);

/** What every list of runs says of one. */
export const RUN_HEAD = {
  runId: runIdSchema,
  state: runStateSchema,
  trigger: runTriggerSchema,
  startedAt: instantSchema,
  hosts: z.array(z.string()),
  process: z.string().nullable().describe("The process that works on the run. Null: it has ended."),
  isAlive: z.boolean(),
};

/** What a run has bought so far. */
export const RUN_OUTCOME = { pagesAcquired: countSchema, pagesInDoubt: countSchema, spend: byCurrency(spendSchema) };

export const runOverviewSchema: z.ZodType<RunOverview> = z
  .object({
    ...RUN_HEAD,
    reason: z.string().nullable(),
    endedAt: instantSchema.nullable(),
    died: z.object({ lastSeenAt: instantSchema, process: z.string().nullable() }).nullable(),
    takenOverBy: runIdSchema.nullable(),
    ...RUN_OUTCOME,
  })
  .meta({ id: "RunOverview" });

export const runListSchema: z.ZodType<RunList> = z
  .object({ runs: z.array(runOverviewSchema), total: countSchema.describe("How many match, listed or not.") })
  .meta({ id: "RunList" });

const runPurchaseSchema: z.ZodType<RunDetails["purchases"][number]> = z
  .object({
    purchaseId: countSchema,
    url: z.string(),
    host: z.string(),
    state: purchaseStateSchema,
    license: licenseSchema.nullable(),
    quotedMicros: microsSchema,
    chargedMicros: microsSchema.nullable(),
    feeMicros: microsSchema,
    currency: currencySchema.nullable(),
    reason: z.string().nullable(),
    detail: z.string().nullable(),
    reservedAt: instantSchema,
    endedAt: instantSchema.nullable(),
  })
  .meta({ id: "RunPurchase" });

const deniedPageSchema: z.ZodType<RunDetails["denied"][number]> = z
  .object({
    url: z.string(),
    host: z.string(),
    reason: z.enum(DENIAL_REASONS),
    detail: z.string().nullable(),
    policyName: z.string(),
    ruleIndex: countSchema.nullable(),
    at: instantSchema,
  })
  .meta({ id: "DeniedPage" });

export const runDetailsSchema: z.ZodType<RunDetails> = z
  .object({
    run: runOverviewSchema,
    purchases: z.array(runPurchaseSchema),
    purchasesTotal: countSchema,
    sites: z.array(
      z.object({
        host: z.string(),
        purchases: z.record(purchaseStateSchema, countSchema),
        spend: byCurrency(spendSchema),
      }),
    ),
    usesSpend: byCurrency(spendSchema),
    denials: countsSchema,
    denied: z.array(deniedPageSchema),
    deniedTotal: countSchema,
  })
  .meta({ id: "RunDetails" });

const PAGE_COUNTS = {
  seen: countSchema,
  unchanged: countSchema,
  excluded: countSchema,
  quoted: countSchema,
  approved: countSchema,
  denied: countSchema,
  deniedBy: z.object({ policy: countSchema, offer: countSchema, limit: countSchema, stored: countSchema }),
  undecided: countSchema,
  acquired: countSchema,
  failed: countSchema,
  inDoubt: countSchema,
  open: countSchema,
};

const pageCountsSchema: z.ZodType<PageCounts> = z.object(PAGE_COUNTS).meta({ id: "PageCounts" });

const siteSummarySchema: z.ZodType<SiteSummary> = z
  .object({
    host: z.string(),
    ...PAGE_COUNTS,
    rejected: countSchema,
    empty: countSchema,
    stop: z.string().nullable(),
    stopDetail: z.string().nullable(),
    walkWarning: z.string().nullable(),
    walkEnded: z.boolean(),
    repurchased: countSchema,
    repurchasedEqual: countSchema,
    exhausted: z.record(z.string(), z.string()),
  })
  .meta({ id: "SiteSummary" });

export const budgetWarningSchema: z.ZodType<BudgetWarning> = z
  .object({
    label: z.string(),
    countedMicros: microsSchema,
    percent: z.int(),
    limitMicros: microsSchema,
    currency: currencySchema,
  })
  .meta({ id: "BudgetWarning" });

const listSummarySchema: z.ZodType<ListSummary> = z
  .object({
    source: z.enum(LIST_SOURCES),
    path: z.string().nullable(),
    goesOnFrom: runIdSchema.nullable(),
    lines: countSchema,
    isRead: z.boolean(),
    pages: countSchema,
    repeated: countSchema,
    rejected: countsSchema,
    examples: z.array(z.object({ line: countSchema, reason: z.string(), raw: z.string() })),
  })
  .meta({ id: "ListSummary" });

const planOutcomeSchema: z.ZodType<PlanOutcome> = z
  .object({
    path: z.string(),
    createdAt: isoInstantSchema,
    expiresAt: isoInstantSchema,
    pages: countSchema,
    edited: z.boolean(),
    removed: countSchema,
    lowered: countSchema,
    bought: countSchema,
    held: countSchema,
    missed: countsSchema,
    examples: z.array(
      z.object({
        url: z.string(),
        reason: z.string(),
        detail: z.string().nullable(),
        planned: moneySchema.nullable(),
        now: moneySchema.nullable(),
      }),
    ),
  })
  .meta({ id: "PlanOutcome" });

const RUN_REPORT = {
  runId: runIdSchema,
  newLedger: z.boolean(),
  state: runStateSchema,
  reason: z.string().nullable(),
  resumed: z.boolean(),
  skipped: z.boolean(),
  takenOver: z.array(
    z.object({ runId: runIdSchema, released: countSchema, probed: countSchema, inDoubt: countSchema }),
  ),
  sites: z.array(siteSummarySchema),
  list: listSummarySchema.nullable(),
  plan: planOutcomeSchema.nullable(),
  pages: pageCountsSchema,
  denials: countsSchema,
  failures: countsSchema,
  refused: z.array(z.object({ url: z.string(), reason: z.string(), detail: z.string() })),
  spend: byCurrency(spendSchema),
  usage: z.object({
    recorded: countSchema,
    reported: countSchema,
    pending: countSchema,
    rejected: countSchema,
    charged: byCurrency(microsSchema),
    overBudget: z.boolean(),
  }),
  budgetWarnings: z.array(budgetWarningSchema),
  warnings: z.array(z.string()),
  durationMs: z.int(),
};

export const runReportSchema: z.ZodType<RunReport> = z.object(RUN_REPORT).meta({ id: "RunReport" });

export const cancelReportSchema: z.ZodType<CancelReport> = z
  .object({ ...RUN_REPORT, released: countSchema, probed: countSchema })
  .meta({ id: "CancelReport" });
