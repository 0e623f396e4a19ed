import { integer, sqliteTable, text } from "../engine/drizzle.ts";

/** A license as it was bought (rates/license.ts). Never changed: a gateway that words it differently gets another row. */
export const license = sqliteTable("license", {
  id: integer("id").primaryKey(),
  /** All of it as one JSON array, so that equal licenses are one row although NULLs are distinct. */
  fingerprint: text("fingerprint").notNull().unique(),
  licenseType: text("license_type").notNull(),
  cuid: text("cuid"),
  licensePath: text("license_path"),
  /** JSON array of names, or `null` where the gateway did not say them. */
  permissions: text("permissions").notNull(),
});
