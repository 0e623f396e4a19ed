import { z } from "zod";
import { ERROR_CODES, type ErrorCode } from "../../../errors.ts";
import type { Problem } from "../../http-problem.ts";

const codes = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

export const problemSchema = z
  .object({
    type: z.literal("about:blank"),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe("What happened, to what."),
    code: z.enum(codes).describe("docs/errors.md describes each code."),
    hint: z.string().optional().describe("What to do."),
    details: z.record(z.string(), z.unknown()).describe("By the code."),
  })
  .meta({ id: "Problem", description: "RFC 9457" }) as unknown as z.ZodType<Problem>;
