import { ALERT_KINDS } from "../../../alert/alert.ts";
import { check, integer, primaryKey, sqliteTable, text } from "../engine/drizzle.ts";
import { isOneOf } from "./checks.ts";

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
