import { USE_STATES } from "../../../usage/use.ts";
import { check, integer, sqliteTable, text } from "../engine/drizzle.ts";
import { isNotNegative, isOneOf } from "./checks.ts";

/** `use_<state>`: uses that are in it now. `page_held`: pages whose content is stored. */
export const COUNTERS = [...USE_STATES.map((state) => `use_${state}` as const), "page_held"] as const;

/**
 * Counts over the whole ledger that are asked for again and again, kept by the functions that write the rows that they count
 * (usage/use-rows.ts, purchases/stored-content.ts). `audit` counts the rows.
 */
export const counter = sqliteTable(
  "counter",
  {
    name: text("name", { enum: COUNTERS as unknown as [string, ...string[]] }).primaryKey(),
    count: integer("count").notNull(),
  },
  (t) => [check("counter_name", isOneOf(t.name, COUNTERS)), check("counter_count", isNotNegative(t.count))],
);
