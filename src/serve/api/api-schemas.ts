/** What the operations of `/api/v1` share: parts of requests, and the answers to what fails. */
import { z } from "zod";
import { PROBLEM_TYPE } from "../http/problem.ts";
import { problemSchema } from "./schemas/problem-schema.ts";

const MAX_HOST_CHARS = 255;

export const hostSchema = z.string().min(1).max(MAX_HOST_CHARS);
export const runIdSchema = z.string().regex(/^run_\w{1,64}$/, "a run's id, such as run_0mi5c2k1x8f3a2b4c5d6");
export const runParams = z.strictObject({ id: runIdSchema.describe("A run's id.") });

/** Ids are numbers; in an address they are digits. */
export const rowParams = (what: string) =>
  z.strictObject({ id: z.coerce.number<string>().int().min(1).describe(what) });

export const limitSchema = (most: number, usual: number) =>
  z.coerce.number<string>().int().min(1).max(most).default(usual).describe(`At most so many, 1 to ${most}.`);

/** Off unless it is `true`. A query has texts alone. */
export const flagSchema = (what: string) =>
  z.preprocess((text) => FLAGS.get(text) ?? text, z.boolean().default(false)).describe(what);
const FLAGS = new Map<unknown, boolean>([
  ["true", true],
  ["false", false],
]);

/** What every operation may answer instead. */
export const PROBLEM_RESPONSES = {
  default: {
    description: "The request is refused (4xx), or the service or the gateway cannot do it now (5xx).",
    content: { [PROBLEM_TYPE]: { schema: problemSchema } },
  },
};
