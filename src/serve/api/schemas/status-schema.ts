import { z } from "zod";
import type { BudgetStatus, StatusReport } from "../../../agent/reports/status-report.ts";
import type { ExpiringReport } from "../../../agent/rights/rights-report.ts";
import { ALERT_KINDS } from "../../../alert/alert.ts";
import { BUDGET_PERIODS } from "../../../budget/budget.ts";
import type { DoubtfulPurchase } from "../../../ledger/ledger-status.ts";
import type { UnfinishedRun } from "../../../ledger/run-ledger.ts";
import { EXPIRY_ACTIONS } from "../../../policy/rule.ts";
import { DOUBT_REASONS } from "../../../purchase/purchase.ts";
import { RUN_KINDS } from "../../../run/kinds.ts";
import { ENDED_BY } from "../../../run/run-state.ts";
import { knownServiceSchema } from "./known-service-schema.ts";
import { licenseSchema } from "./license-schema.ts";
import {
  byCurrency,
  countSchema,
  currencySchema,
  instantSchema,
  microsSchema,
  moneySchema,
  spendSchema,
} from "./money-schema.ts";
import { openItemSchema } from "./open-item-schema.ts";
import { budgetWarningSchema, RUN_HEAD, runIdSchema, runOverviewSchema } from "./run-schema.ts";

const budgetStatusSchema: z.ZodType<BudgetStatus> = z
  .object({
    label: z.string(),
    budget: z.object({
      scope: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("all") }),
        z.object({ kind: z.literal("site"), host: z.string() }),
        z.object({ kind: z.literal("run") }),
      ]),
      period: z.enum(BUDGET_PERIODS),
      limitMicros: microsSchema,
      currency: currencySchema,
    }),
    balance: z
      .object({
        settledMicros: microsSchema,
        feeMicros: microsSchema,
        inDoubtMicros: microsSchema,
        reservedMicros: microsSchema,
      })
      .nullable(),
    leftMicros: microsSchema.nullable(),
    overMicros: microsSchema.nullable(),
  })
  .meta({ id: "BudgetStatus" });

const unfinishedRunSchema: z.ZodType<UnfinishedRun> = z
  .object({
    ...RUN_HEAD,
    kind: z.enum(RUN_KINDS),
    endedBy: z.enum(ENDED_BY),
    isTakenOver: z.boolean(),
    limits: z.object({ maxPages: countSchema.nullable(), maxSpend: moneySchema.nullable() }),
    inService: z.boolean(),
    lastSeenAt: instantSchema.nullable(),
    reserved: countSchema,
    started: countSchema,
    setAsideMicros: byCurrency(microsSchema),
  })
  .meta({ id: "UnfinishedRun" });

const doubtfulPurchaseSchema: z.ZodType<DoubtfulPurchase> = z
  .object({
    purchaseId: countSchema,
    runId: runIdSchema,
    url: z.string(),
    quotedMicros: microsSchema,
    currency: currencySchema.nullable(),
    reason: z.enum(DOUBT_REASONS),
    detail: z.string(),
    at: instantSchema,
  })
  .meta({ id: "DoubtfulPurchase" });

const undeliveredAlertSchema: z.ZodType<StatusReport["alerts"]["undelivered"][number]> = z
  .object({
    to: z.string(),
    state: z.enum(["pending", "given_up"]),
    kind: z.enum(ALERT_KINDS),
    message: z.string(),
    raisedAt: instantSchema,
    attempts: countSchema,
    error: z.string().nullable(),
  })
  .meta({ id: "UndeliveredAlert" });

const notificationsSchema: z.ZodType<StatusReport["notifications"]> = z.object({
  waiting: countSchema.describe("Not yet in a run, or a run could not decide the page."),
  entered: countSchema.describe("In a webhook run that has not ended."),
  done: countSchema,
  unknown_site: countSchema.describe("Of no configured site: recorded and ignored."),
  excluded: countSchema,
  history: z.object({
    coveredUntil: instantSchema.nullable().describe("Every delivery record of an attempt up to here was read."),
    completedAt: instantSchema.nullable(),
    sweeps: countSchema,
    records: countSchema,
    admitted: countSchema.describe("Notifications that never arrived, found in the delivery records."),
    failures: countSchema.describe("Failures since the last complete reading."),
    lastError: z.string().nullable(),
  }),
});

const expiringSchema = z.object({
  until: instantSchema,
  total: countSchema.describe("How many pages there are, listed or not."),
  documents: z.array(
    z.object({
      url: z.string(),
      host: z.string(),
      purchaseId: countSchema,
      policyName: z.string(),
      license: licenseSchema.nullable(),
      storedAt: instantSchema,
      endsAt: instantSchema,
      why: z.enum(["validUntil", "retention"]),
      action: z.enum(EXPIRY_ACTIONS),
      isTooShortToRenew: z.boolean(),
      goneAt: instantSchema.nullable(),
      hasEnded: z.boolean(),
    }),
  ),
  counts: z.array(
    z.object({ host: z.string(), action: z.enum(EXPIRY_ACTIONS), ended: countSchema, ending: countSchema }),
  ),
  lost: z.object({
    gone: countSchema,
    notLicensable: countSchema,
    pages: z.array(
      z.object({
        url: z.string(),
        host: z.string(),
        purchaseId: countSchema,
        why: z.enum(["gone", "not_licensable"]),
        since: instantSchema,
      }),
    ),
  }),
}) satisfies z.ZodType<ExpiringReport>;

export const statusSchema: z.ZodType<StatusReport> = z
  .object({
    copy: z
      .object({ madeAt: instantSchema, madeBy: z.string(), acceptedAt: instantSchema.nullable() })
      .nullable()
      .describe("Set when the ledger was restored from a copy. `acceptedAt` null: it refuses to buy and to report."),
    service: knownServiceSchema
      .nullable()
      .describe("The newest service of this ledger. `expiresAt` null: it stopped in order."),
    spend: byCurrency(spendSchema),
    usage: z.object({
      recorded: countSchema,
      reported: countSchema,
      pending: countSchema,
      rejected: countSchema,
      needsReconcile: countSchema,
    }),
    inDoubt: z.array(doubtfulPurchaseSchema),
    openItems: z.array(openItemSchema),
    pagesStored: countSchema,
    rights: expiringSchema.nullable().describe("The end of rights. Null when `expiring` was not asked for."),
    runs: z.array(runOverviewSchema),
    totals: z.object({ inDoubt: countSchema, openItems: countSchema, runs: countSchema }),
    unfinished: z.array(unfinishedRunSchema),
    budgets: z.array(budgetStatusSchema),
    alerts: z
      .object({ pending: countSchema, undelivered: z.array(undeliveredAlertSchema) })
      .describe("Alerts that nobody took yet, or in hours."),
    budgetWarnings: z.array(budgetWarningSchema),
    notifications: notificationsSchema,
  })
  .meta({ id: "Status" });
