import { defineConfig } from "drizzle-kit";

/** `npm run db:generate -- --name what_it_does` writes the next migration from the schema files. */
export default defineConfig({
  dialect: "sqlite",
  schema: "./src/ledger/sqlite/schema/*.ts",
  out: "./migrations",
});
