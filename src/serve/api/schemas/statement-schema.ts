/** The statement of a month. */
import { z } from "zod";
import {
  type ChargedPages,
  type DoubtfulPages,
  type ReportedUses,
  STATEMENT_GROUPINGS,
  type Statement,
} from "../../../statement/statement.ts";
import { countSchema, currencySchema, isoInstantSchema, microsSchema } from "./money-schema.ts";

const monthSchema = z.string().describe("A calendar month in UTC, such as 2026-11.");

const chargedPagesSchema: z.ZodType<ChargedPages> = z
  .object({ pages: countSchema, chargedMicros: microsSchema, feeMicros: microsSchema })
  .meta({ id: "ChargedPages", description: "Pages with their charges; fees apart." });

const doubtfulPagesSchema: z.ZodType<DoubtfulPages> = z
  .object({ pages: countSchema, micros: microsSchema })
  .meta({ id: "DoubtfulPages", description: "Purchases in doubt, with what they set aside." });

const reportedUsesSchema: z.ZodType<ReportedUses> = z
  .object({ times: countSchema, expectedMicros: microsSchema, chargedMicros: microsSchema })
  .meta({ id: "ReportedUses", description: "Uses whose report the gateway took, and what the billed ones cost." });

const figures = {
  bought: chargedPagesSchema,
  indexed: z.object({ pages: countSchema }),
  doubts: z.object({
    openAtStart: doubtfulPagesSchema,
    opened: doubtfulPagesSchema,
    charged: doubtfulPagesSchema,
    notCharged: doubtfulPagesSchema,
    openAtEnd: doubtfulPagesSchema,
  }),
  corrections: z.object({
    operator: chargedPagesSchema,
    lateAnswers: chargedPagesSchema,
    receipts: z.object({ micros: z.int().describe("Charged minus expected. It may be negative.") }),
  }),
  uses: reportedUsesSchema,
  fetchReports: reportedUsesSchema,
  total: chargedPagesSchema,
};

const lineSchema: z.ZodType<Statement["lines"][number]> = z
  .object({
    group: z.string().nullable().describe("The site, licence, policy, rule, run or day. Null: it has none."),
    currency: currencySchema.nullable().describe("Null: pages that were only indexed."),
    ...figures,
  })
  .meta({ id: "StatementLine" });

const totalSchema: z.ZodType<Statement["totals"][number]> = z
  .object({
    currency: currencySchema.nullable(),
    ...figures,
    receiptsMicros: microsSchema.describe("What the gateway's receipts of the month add up to."),
    budgetMonths: z
      .array(z.object({ month: monthSchema, micros: microsSchema }))
      .describe("The charges, fees included, by the month in whose budgets they count."),
  })
  .meta({ id: "StatementTotal" });

export const statementSchema: z.ZodType<Statement> = z
  .object({
    month: monthSchema,
    by: z.enum(STATEMENT_GROUPINGS),
    site: z.string().nullable(),
    from: isoInstantSchema,
    to: isoInstantSchema,
    complete: z.boolean().describe("False while the month goes on. The statement of a complete month never changes."),
    until: isoInstantSchema.describe("How far it goes: the end of a complete month, else its last movement of money."),
    lines: z.array(lineSchema),
    totals: z.array(totalSchema),
  })
  .meta({ id: "Statement" });
