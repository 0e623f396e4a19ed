import { ALERT_DELIVERY_STATES } from "../../alert-ledger.ts";
import { check, index, integer, primaryKey, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { alert } from "./alert.ts";
import { isNotNegative, isOneOf } from "./checks.ts";

/** An alert on its way to one receiver. */
export const alertDelivery = sqliteTable(
  "alert_delivery",
  {
    alertId: integer("alert_id")
      .notNull()
      .references(() => alert.id, { onDelete: "cascade" }),
    /** A digest that names the receiver, because its URL may contain a secret. */
    receiver: text("receiver").notNull(),
    state: text("state", { enum: ALERT_DELIVERY_STATES }).notNull(),
    attempts: integer("attempts").notNull().default(0),
    notBefore: integer("not_before").notNull(),
    lastError: text("last_error"),
    endedAt: integer("ended_at"),
  },
  (t) => [
    primaryKey({ columns: [t.alertId, t.receiver] }),
    check("alert_delivery_state", isOneOf(t.state, ALERT_DELIVERY_STATES)),
    check("alert_delivery_attempts", isNotNegative(t.attempts)),
    index("alert_delivery_pending").on(t.notBefore).where(sql`state = 'pending'`),
  ],
);
