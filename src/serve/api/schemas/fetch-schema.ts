/** What came of pages that were fetched. */
import { z } from "zod";
import { FETCH_OUTCOMES, type FetchReport, type FetchResult } from "../../../agent/fetch/fetch-report.ts";
import { documentSchema } from "./document-schema.ts";
import { byCurrency, countSchema, microsSchema, moneySchema } from "./money-schema.ts";

const fetchResultSchema = z
  .object({
    url: z.string().describe("As it was given."),
    outcome: z.enum(FETCH_OUTCOMES),
    document: documentSchema.nullable(),
    price: moneySchema.nullable(),
    rule: z.string().nullable(),
    reason: z.string().nullable().describe("Why there is no document."),
    detail: z.string().nullable(),
    hint: z.string().nullable(),
    purchaseId: countSchema.nullable(),
  })
  .meta({ id: "FetchResult" }) as unknown as z.ZodType<FetchResult>;

const fetchSpendSchema = z.object({
  settledMicros: microsSchema,
  feeMicros: microsSchema,
  inDoubtMicros: microsSchema,
  useReserveMicros: microsSchema,
});

export const fetchReportSchema: z.ZodType<FetchReport> = z
  .object({
    results: z.array(fetchResultSchema).describe("One for each URL, in their order."),
    spend: byCurrency(fetchSpendSchema).describe("What this request spent."),
    runIds: z.array(z.string()),
    budgetExhausted: z.boolean(),
    interrupted: z.boolean(),
    warnings: z.array(z.string()),
  })
  .meta({ id: "FetchReport" });
