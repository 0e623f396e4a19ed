/** Alerts, and their way to the receivers. */
import { ALERT_KINDS } from "../../../alert/alert.ts";
import { ALERT_DELIVERY_STATES } from "../../alert-ledger.ts";
import { check, index, integer, primaryKey, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { act } from "./acts.ts";
import { isNotNegative, isOneOf } from "./checks.ts";

/** Something that receivers are told once. */
export const alert = sqliteTable(
  "alert",
  {
    id: integer("id").primaryKey(),
    kind: text("kind", { enum: ALERT_KINDS }).notNull(),
    /** Names the event: a second alert of the same event is not made. */
    key: text("key").notNull().unique(),
    message: text("message").notNull(),
    /** The document's own fields, as JSON. */
    details: text("details").notNull(),
    /** What it is about, and the first command for it. NULL: it is about none. */
    site: text("site"),
    run: text("run"),
    code: text("code"),
    command: text("command"),
    raisedAt: integer("raised_at").notNull(),
    /** The act of the person who looks after it. NULL: nobody has said so. */
    acknowledgedBy: integer("acknowledged_by").references(() => act.id),
  },
  (t) => [check("alert_kind", isOneOf(t.kind, ALERT_KINDS))],
);

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

/** Since when a receiver is configured for a kind of alert: it is told nothing that happened before. */
export const alertReceiver = sqliteTable(
  "alert_receiver",
  {
    /** A digest that names the receiver, because its URL may contain a secret. */
    receiver: text("receiver").notNull(),
    kind: text("kind", { enum: ALERT_KINDS }).notNull(),
    since: integer("since").notNull(),
  },
  (t) => [primaryKey({ columns: [t.receiver, t.kind] }), check("alert_receiver_kind", isOneOf(t.kind, ALERT_KINDS))],
);
