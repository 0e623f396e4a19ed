/** What a person resolves: open items, purchases in doubt, reports to reconcile. */
import { z } from "zod";
import type { FlushReport } from "../../../agent/agent.ts";
import type { ResolvedPurchase } from "../../../ledger/purchase-ledger.ts";
import { OPEN_ITEM_KINDS, type OpenItem, type ResolvedReport } from "../../../ledger/usage-ledger.ts";
import { byCurrency, countSchema, instantSchema, microsSchema, moneySchema } from "./money-schema.ts";

const OPEN_ITEM = {
  id: countSchema,
  kind: z.enum(OPEN_ITEM_KINDS),
  detail: z.string(),
  url: z.string().nullable(),
  batchId: countSchema.nullable(),
  purchaseId: countSchema.nullable(),
  host: z.string().nullable(),
  count: countSchema,
  at: instantSchema,
};

export const openItemSchema: z.ZodType<OpenItem> = z.object(OPEN_ITEM).meta({ id: "OpenItem" });

export const openItemListSchema: z.ZodType<{ readonly openItems: readonly OpenItem[]; readonly total: number }> = z
  .object({ openItems: z.array(openItemSchema), total: countSchema.describe("How many there are, listed or not.") })
  .meta({ id: "OpenItemList" });

export const closedItemSchema: z.ZodType<OpenItem & { readonly state: "closed" }> = z
  .object({ ...OPEN_ITEM, state: z.literal("closed") })
  .meta({ id: "ClosedItem" });

export const resolvedPurchaseSchema: z.ZodType<ResolvedPurchase> = z
  .object({
    purchaseId: countSchema,
    url: z.string(),
    state: z.enum(["settled", "released"]),
    amount: moneySchema.nullable(),
    keptOff: z.boolean(),
  })
  .meta({ id: "ResolvedPurchase" });

export const resolvedReportSchema: z.ZodType<ResolvedReport> = z
  .object({
    batchId: countSchema,
    idempotencyId: z.string(),
    state: z.enum(["settled", "frozen"]),
    uses: countSchema,
  })
  .meta({ id: "ResolvedReport" });

export const flushReportSchema: z.ZodType<FlushReport> = z
  .object({
    batches: countSchema,
    reported: countSchema,
    rejectedEntries: countSchema,
    pending: countSchema,
    needsReconcile: countSchema,
    stopped: z.string().nullable(),
    allRefused: z.boolean(),
    retried: countSchema,
    charged: byCurrency(microsSchema),
    overBudget: z.boolean(),
  })
  .meta({ id: "FlushReport" });
