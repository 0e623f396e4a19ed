/** Parts of requests that several operations take. */
import { z } from "zod";
import { money } from "../../money/money-input.ts";

const MAX_HOST_CHARS = 255;
const MAX_AMOUNT_CHARS = 64;

export const hostSchema = z.string().min(1).max(MAX_HOST_CHARS);
export const runIdSchema = z.string().regex(/^run_\w{1,64}$/, "a run's id, such as run_0mi5c2k1x8f3a2b4c5d6");
export const runParams = z.strictObject({ id: runIdSchema.describe("A run's id.") });

/** Ids are numbers; in an address they are digits. */
export const rowParams = (what: string) =>
  z.strictObject({ id: z.coerce.number<string>().int().min(1).describe(what) });

export const limitSchema = (most: number, usual: number) =>
  z.coerce.number<string>().int().min(1).max(most).default(usual);

/** Off unless it is `true`. A query has texts alone. */
export const flagSchema = (what: string) =>
  z.preprocess((text) => FLAGS.get(text) ?? text, z.boolean().default(false)).describe(what);
const FLAGS = new Map<unknown, boolean>([
  ["true", true],
  ["false", false],
]);

/** An amount that a request names, in any of its spellings. @throws LicetError MONEY_INVALID */
export const amountSchema = z
  .union([
    z.string().min(1).max(MAX_AMOUNT_CHARS),
    z.strictObject({ micros: z.int().min(0), currency: z.string().min(1).max(MAX_AMOUNT_CHARS) }),
  ])
  .transform(money);
