import { z } from "zod";
import type { Explanation } from "../../../agent/agent.ts";
import { OWN_CONCLUSIONS } from "../../../agent/reports/conclusion.ts";
import { HINT_KINDS } from "../../../ledger/hint-ledger.ts";
import type { PageRecord } from "../../../ledger/ledger-reports.ts";
import { DENIAL_REASONS, type Verdict } from "../../../policy/verdict.ts";
import { documentRightsSchema } from "./document-schema.ts";
import { licenseSchema, rateListingSchema, rateSchema } from "./license-schema.ts";
import { countSchema, currencySchema, instantSchema, microsSchema, moneySchema } from "./money-schema.ts";
import { purchaseStateSchema } from "./run-schema.ts";

const pageRecordSchema: z.ZodType<PageRecord> = z
  .object({
    pageId: countSchema,
    url: z.string(),
    host: z.string(),
    wireUrl: z.string(),
    lastMod: z.string().nullable(),
    lastModAt: instantSchema.nullable(),
    goneAt: instantSchema.nullable().describe("Since when its catalog does not have it any more."),
    stored: z
      .object({
        purchaseId: countSchema,
        settledAt: instantSchema,
        lastMod: z.string().nullable(),
        lastModAt: instantSchema.nullable(),
        askedAt: instantSchema.nullable().describe("When the request was sent that it answered."),
        runBegunAt: instantSchema.nullable().describe("When its run began."),
        datedAs: z
          .string()
          .nullable()
          .describe(
            "Of a version that was bought without a date: the first date of its catalog that does not say when the page changed.",
          ),
        indexingOnly: z.boolean(),
        license: licenseSchema.nullable(),
        policyName: z.string(),
        validUntilAt: instantSchema.nullable(),
        retentionMs: countSchema.nullable(),
        purgedAt: instantSchema.nullable(),
        purgeReason: z.string().nullable(),
        previous: z
          .object({
            policyName: z.string(),
            settledAt: instantSchema,
            validUntilAt: instantSchema.nullable(),
            retentionMs: countSchema.nullable(),
          })
          .nullable()
          .describe("The version that was bought before it."),
      })
      .nullable(),
    purchases: z.array(
      z.object({
        purchaseId: countSchema,
        runId: z.string(),
        state: purchaseStateSchema,
        url: z.string(),
        ruleIndex: countSchema,
        rule: z.string().nullable(),
        policyName: z.string(),
        license: licenseSchema.nullable(),
        quotedMicros: microsSchema,
        chargedMicros: microsSchema.nullable(),
        currency: currencySchema.nullable(),
        reason: z.string().nullable(),
        detail: z.string().nullable(),
        at: instantSchema,
        listing: rateListingSchema.nullable(),
      }),
    ),
    denials: z.array(
      z.object({
        runId: z.string(),
        reason: z.string(),
        ruleIndex: countSchema.nullable(),
        policyName: z.string(),
        detail: z.string().nullable(),
        at: instantSchema,
        listing: rateListingSchema.nullable(),
      }),
    ),
  })
  .meta({ id: "PageRecord" });

const verdictSchema: z.ZodType<Verdict> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("allowed"), ruleIndex: countSchema, rate: rateSchema.nullable() }),
  z.object({ kind: z.literal("denied"), reason: z.enum(DENIAL_REASONS), ruleIndex: countSchema.nullable() }),
]);

export const explanationSchema: z.ZodType<Explanation> = z
  .object({
    conclusion: z.object({
      willBeBought: z.boolean().nullable(),
      reason: z.enum([...OWN_CONCLUSIONS, ...DENIAL_REASONS]),
      detail: z.string(),
      hint: z.string().nullable(),
      price: moneySchema.nullable(),
      ruleIndex: countSchema.nullable(),
      glob: z.string().nullable(),
      place: z.string().nullable(),
      purchaseId: countSchema.nullable(),
      openItemId: countSchema.nullable(),
      limit: z.string().nullable(),
      leftMicros: microsSchema.nullable(),
    }),
    url: z.string(),
    host: z.string(),
    policy: z.object({ name: z.string(), rules: z.array(z.string()) }),
    live: z
      .object({
        listing: rateListingSchema,
        findings: z.array(
          z.object({
            ruleIndex: countSchema,
            rateIndex: countSchema.nullable(),
            matched: z.boolean(),
            failed: z.string().nullable(),
          }),
        ),
        flawedRates: z.array(z.object({ rateIndex: countSchema, reason: z.string() })),
        verdict: verdictSchema,
        price: moneySchema.nullable(),
      })
      .nullable(),
    liveError: z.string().nullable(),
    isGatewayDown: z.boolean(),
    budgets: z.array(z.object({ label: z.string(), leftMicros: microsSchema, fits: z.boolean() })),
    record: pageRecordSchema.nullable(),
    heldAs: z
      .string()
      .nullable()
      .describe(
        "The address, under http or https, of the version that a fetch gives without buying. Null: a fetch has to buy it.",
      ),
    rights: documentRightsSchema.nullable(),
    notifications: z.array(
      z.object({
        kind: z.enum(HINT_KINDS),
        timestamp: z.string(),
        receivedAt: instantSchema,
        state: z.enum(["waiting", "entered"]),
      }),
    ),
  })
  .meta({ id: "Explanation" });
