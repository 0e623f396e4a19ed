import { z } from "zod";
import type { KnownService } from "../../../ledger/service-ledger.ts";
import { instantSchema } from "./money-schema.ts";

export const knownServiceSchema: z.ZodType<KnownService> = z
  .object({
    process: z.string(),
    url: z.string().nullable(),
    startedAt: instantSchema,
    expiresAt: instantSchema.nullable(),
    isAlive: z.boolean(),
  })
  .meta({ id: "Service" });
