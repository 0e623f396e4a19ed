import { ALERT_KINDS } from "../../../alert/alert.ts";
import { check, integer, sqliteTable, text } from "../engine/drizzle.ts";
import { isOneOf } from "./checks.ts";

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
    raisedAt: integer("raised_at").notNull(),
  },
  (t) => [check("alert_kind", isOneOf(t.kind, ALERT_KINDS))],
);
