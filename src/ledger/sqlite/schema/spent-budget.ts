import { check, integer, primaryKey, sqliteTable, text } from "../engine/drizzle.ts";
import { isNotNegative } from "./checks.ts";

/**
 * A budget that was found to be used up: the first page that did not fit it, in one period, under one limit. Written with the decision about
 * that page, so that an alert can be raised of it whatever happens next.
 */
export const spentBudget = sqliteTable(
  "spent_budget",
  {
    /** With `period` and `currency`, the key of the balance (schema/balance.ts). */
    scope: text("scope").notNull(),
    period: text("period").notNull(),
    currency: text("currency").notNull(),
    limitMicros: integer("limit_micros").notNull(),
    at: integer("at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.scope, t.period, t.currency, t.limitMicros] }),
    check("spent_budget_limit", isNotNegative(t.limitMicros)),
  ],
);
