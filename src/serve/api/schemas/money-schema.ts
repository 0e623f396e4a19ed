import { z } from "zod";
import type { Spend } from "../../../ledger/spend.ts";
import type { Micros } from "../../../money/micros.ts";
import type { Money } from "../../../money/money.ts";

/** The brand of micros is a type of ours that no schema can check. */
export const microsSchema = z.int().describe("Millionths of the currency.") as unknown as z.ZodType<Micros>;
export const instantSchema = z.int().describe("Milliseconds since 1970, UTC.");
/** Documents that also stand in files (statements, plans) have their instants in words. */
export const isoInstantSchema = z
  .string()
  .meta({ format: "date-time", description: "An instant, ISO 8601 in UTC, such as 2026-11-01T00:00:00.000Z." });
export const currencySchema = z.string().describe("A currency code, such as USD.");
/** Amounts or counts by a name. */
export const byCurrency = <Value>(value: z.ZodType<Value>) => z.record(z.string(), value);
export const countSchema = z.int();
export const countsSchema = z.record(z.string(), countSchema);

export const moneySchema: z.ZodType<Money> = z
  .object({ micros: microsSchema, currency: currencySchema })
  .meta({ id: "Money" });

export const spendSchema: z.ZodType<Spend> = z
  .object({
    settledMicros: microsSchema,
    inDoubtMicros: microsSchema,
    reservedMicros: microsSchema,
    feeMicros: microsSchema,
  })
  .meta({
    id: "Spend",
    description:
      "Charges without fees, amounts in doubt and reserved with their fees, and the fees of what is settled.",
  });

const MAX_AMOUNT_CHARS = 64;

/** An amount that a request names, in any of its spellings (money-input.ts). */
export const amountSchema = z.union([
  z.string().min(1).max(MAX_AMOUNT_CHARS),
  z.strictObject({ micros: z.int().min(0), currency: z.string().min(1).max(MAX_AMOUNT_CHARS) }),
]);
