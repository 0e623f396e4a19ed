import { check, integer, primaryKey, sql, sqliteTable, text } from "../engine/drizzle.ts";

/**
 * What counts against budgets, by scope and period (budget/scope.ts) and currency. Kept for every scope and period,
 * whatever budgets are configured. A cache: `audit` derives it from the rows by another path.
 */
export const balance = sqliteTable(
  "balance",
  {
    scope: text("scope").notNull(),
    period: text("period").notNull(),
    currency: text("currency").notNull(),
    reservedMicros: integer("reserved_micros").notNull(),
    inDoubtMicros: integer("in_doubt_micros").notNull(),
    /** Fees included. */
    settledMicros: integer("settled_micros").notNull(),
    /** The part of settled_micros that was fees. */
    feeMicros: integer("fee_micros").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.scope, t.period, t.currency] }),
    check(
      "balance_amounts",
      sql`${t.reservedMicros} >= 0 and ${t.inDoubtMicros} >= 0 and ${t.settledMicros} >= 0 and ${t.feeMicros} >= 0`,
    ),
    check("balance_exact", sql`${t.reservedMicros} + ${t.inDoubtMicros} + ${t.settledMicros} <= 9007199254740991`),
  ],
);
