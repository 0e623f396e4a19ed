/** Reading for people: status, schedules, the conclusion about one page, open items. `licet audit` is not here: decision 0042. */
import { z } from "zod";
import { STATEMENT_GROUPINGS } from "../../statement/statement.ts";
import { createGate } from "./gate.ts";
import { type Operation, reads } from "./operation.ts";
import { hostSchema, limitSchema } from "./request-parts.ts";

/** Each asks the gateway for rates. Runs need its requests more. */
const EXPLAIN_AT_ONCE = 4;
const MAX_SLOTS = 100;
const MAX_URL_CHARS = 8_192;
const durationSchema = z.string().regex(/^\d{1,6}(?:ms|s|m|h|d)$/, "a duration, such as 30d");
const monthSchema = z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, "a month, such as 2026-11");

export const statusOperations: readonly Operation[] = [
  reads("/status", {
    id: "getStatus",
    summary: "Runs, budgets, spend, pending uses, purchases in doubt, open items",
    asks: {
      querystring: z.object({
        expiring: durationSchema.optional(),
      }),
    },
    answer: "Status",
    work:
      ({ agent }) =>
      ({ querystring }) =>
        agent.status(querystring),
  }),
  reads("/schedule", {
    id: "getSchedule",
    summary: "The next slots of each schedule, and the last ones with what came of them",
    asks: {
      querystring: z.strictObject({
        limit: limitSchema(MAX_SLOTS, 5),
        site: hostSchema.optional(),
      }),
    },
    answer: "ScheduleReport",
    work:
      ({ agent }) =>
      ({ querystring }) =>
        agent.schedule(querystring),
  }),
  reads("/statement", {
    id: "getStatement",
    summary: "What a month cost and used, for finance: charges, fees, uses, doubts and corrections",
    asks: {
      querystring: z.strictObject({
        month: monthSchema.optional(),
        by: z.enum(STATEMENT_GROUPINGS).default("site"),
        site: hostSchema.optional(),
      }),
    },
    answer: "Statement",
    work:
      ({ agent }) =>
      ({ querystring }) =>
        agent.statement(querystring),
  }),
  reads("/explain", {
    id: "explainPage",
    summary: "Whether the next run would buy a page, and why",
    asks: { querystring: z.strictObject({ url: z.string().min(1).max(MAX_URL_CHARS).describe("The page.") }) },
    answer: "Explanation",
    work: ({ agent }) => {
      const explaining = createGate("explanations of a page", EXPLAIN_AT_ONCE);
      return ({ querystring }) => explaining(() => agent.explain(querystring.url));
    },
  }),
  reads("/open-items", {
    id: "listOpenItems",
    summary: "What a person has to check, the oldest first",
    answer: "OpenItemList",
    work:
      ({ resources }) =>
      async () => {
        const { openItems, totals } = await (await resources.ledger("read")).readStatus();
        return { openItems, total: totals.openItems };
      },
  }),
];
