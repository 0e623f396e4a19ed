import { z } from "zod";
import type { License } from "../../../rates/license.ts";
import type { Rate, RateListing } from "../../../rates/rate.ts";
import { instantSchema, moneySchema } from "./money-schema.ts";

export const licenseSchema: z.ZodType<License> = z
  .object({
    licenseType: z.string(),
    cuid: z.string().nullable(),
    licensePath: z.string().nullable(),
    permissions: z.array(z.string()).nullable(),
  })
  .meta({ id: "License" });

export const rateSchema: z.ZodType<Rate> = z
  .object({
    license: licenseSchema,
    price: moneySchema,
    error: z.string().nullable(),
    validUntilAt: instantSchema.nullable(),
  })
  .meta({ id: "Rate" });

export const rateListingSchema: z.ZodType<RateListing> = z
  .object({ rates: z.array(rateSchema), unreadable: z.array(z.string()) })
  .meta({ id: "RateListing" });
