/**
 * drizzle, for the schema and the reports. Only this file loads it, and as CommonJS: for each ES module Node parses the `package.json` of its
 * package again, and that of drizzle is 180 kB long. As ES modules it takes eight times as long to load, which every `licet status` would
 * wait for (docs/decisions/0030). Types come from the package itself, with `import type`.
 */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

export const { and, asc, between, count, desc, eq, gt, inArray, isNotNull, isNull, lte, ne, notInArray, or, sql } =
  require("drizzle-orm/sql") as typeof import("drizzle-orm/sql");

export const {
  alias,
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  real,
  blob,
  sqliteTable,
  sqliteView,
  text,
  uniqueIndex,
} = require("drizzle-orm/sqlite-core") as typeof import("drizzle-orm/sqlite-core");

export const { drizzle } =
  require("drizzle-orm/better-sqlite3/driver") as typeof import("drizzle-orm/better-sqlite3/driver");
