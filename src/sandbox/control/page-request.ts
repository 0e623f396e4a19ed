import { z } from "zod";
import type { PageInput } from "../pages/page.ts";
import { LICENSE_TYPES } from "../pricing/rate.ts";

const rateSchema = z.object({
  priceMicros: z.number(),
  currency: z.string().optional(),
  licenseType: z.enum(LICENSE_TYPES).optional(),
  cuid: z.string().optional(),
  permissions: z.array(z.string()).optional(),
  licensePath: z.string().optional(),
  validUntil: z.string().optional(),
});

const pageRequestSchema = z.object({
  url: z.string().min(1),
  remove: z.boolean().optional(),
  html: z.string().optional(),
  markdown: z.string().optional(),
  title: z.string().optional(),
  author: z.string().optional(),
  lastMod: z.string().nullable().optional(),
  rates: z.array(rateSchema).optional(),
  indexing: z.boolean().optional(),
  access: z.enum(["open", "refused"]).optional(),
});

/** @throws Error naming each field that is wrong */
export function parsePageRequest(body: unknown): { readonly page: PageInput; readonly isRemoved: boolean } {
  const checked = pageRequestSchema.safeParse(body);
  if (!checked.success) {
    throw new Error(`page:\n${z.prettifyError(checked.error)}`);
  }
  const { remove = false, ...page } = checked.data;
  return { page: page as PageInput, isRemoved: remove };
}
