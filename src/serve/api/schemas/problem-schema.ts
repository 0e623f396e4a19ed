import { z } from "zod";
import type { Problem } from "../../http/problem.ts";

export const problemSchema = z
  .object({
    type: z.literal("about:blank"),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe("What happened, to what."),
    // A text: a client must not fail at a code that is newer than itself.
    code: z.string().describe("Tells the errors apart. docs/errors.md describes each code."),
    hint: z.string().optional().describe("What to do."),
    details: z.record(z.string(), z.unknown()).describe("By the code."),
  })
  .meta({ id: "Problem", description: "RFC 9457" }) as unknown as z.ZodType<Problem>;
