import { blob, foreignKey, integer, primaryKey, sqliteTable } from "../engine/drizzle.ts";
import { runSite } from "./run-site.ts";

/** The page tokens that a walk has used: one that comes back is a loop. Dropped with the frontier. */
export const walkToken = sqliteTable(
  "walk_token",
  {
    runId: integer("run_id").notNull(),
    siteId: integer("site_id").notNull(),
    /** A token can be long: the first half of its sha256 is kept. */
    tokenHash: blob("token_hash").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.siteId, t.tokenHash] }),
    foreignKey({ columns: [t.runId, t.siteId], foreignColumns: [runSite.runId, runSite.siteId] }),
  ],
);
