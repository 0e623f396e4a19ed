/** The service at work, and the state of the file itself. */
import { WAIT_PLACES } from "../../../run/wait.ts";
import { check, index, integer, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { isOneOf } from "./checks.ts";
import { run } from "./runs.ts";

/** The lease of the one service of this ledger: a single row, made by the first service. */
export const service = sqliteTable(
  "service",
  {
    id: integer("id").primaryKey(),
    /** Grows with each service that takes the lease: what an earlier one still says is stale. */
    fence: integer("fence").notNull(),
    /** `host:pid` of its process, and where its HTTP interface listens. */
    process: text("process").notNull(),
    url: text("url"),
    startedAt: integer("started_at").notNull(),
    /** NULL when it stopped in order. */
    expiresAt: integer("expires_at"),
    /** JSON: the workers on other machines, as the service last knew them (`KnownWorker`). */
    workers: text("workers").notNull().default("[]"),
  },
  (t) => [check("service_single", sql`${t.id} = 1`)],
);

/** Only in a backup, and in a ledger that was restored from one: it may not buy or report until a person accepts it. */
export const ledgerCopy = sqliteTable(
  "ledger_copy",
  {
    id: integer("id").primaryKey(),
    /** When the copy was made, and by which process. */
    madeAt: integer("made_at").notNull(),
    madeBy: text("made_by").notNull(),
    /** When a person said that no later ledger was in use. */
    acceptedAt: integer("accepted_at"),
  },
  (t) => [check("ledger_copy_single", sql`${t.id} = 1`)],
);

/**
 * A single row, while texts that `licet purge` removed may still be readable in unused room of the file. Written with the first removal,
 * gone after the file was cleaned: a purge that was killed is finished by the next one.
 */
export const fileCleaning = sqliteTable(
  "file_cleaning",
  {
    id: integer("id").primaryKey(),
    dueSince: integer("due_since").notNull(),
  },
  (t) => [check("file_cleaning_single", sql`${t.id} = 1`)],
);

/**
 * A person's word that the clock was right (`--trust-clock`). What was written before it may be of a clock that was wrong, so instants are
 * compared with the rows after the newest word alone. Only ever added to.
 */
export const clockWord = sqliteTable(
  "clock_word",
  {
    id: integer("id").primaryKey(),
    /** What the clock said. */
    at: integer("at").notNull(),
    /** The instant of the newest rows before the word. NULL: there were none. */
    latestAt: integer("latest_at"),
    /** What the gateway's `Date` said. NULL: it was not known. */
    gatewayAt: integer("gateway_at"),
    /** Rows up to these numbers are older than the word. */
    runsBefore: integer("runs_before").notNull(),
    purchasesBefore: integer("purchases_before").notNull(),
    bookingsBefore: integer("bookings_before").notNull(),
  },
  (t) => [
    check("clock_word_numbers", sql`${t.runsBefore} >= 0 and ${t.purchasesBefore} >= 0 and ${t.bookingsBefore} >= 0`),
  ],
);

/**
 * What a run or the service waits for at present (run/wait.ts): written when a wait begins, taken away when it ends. Rows of a process that died stay
 * until the next one takes its run or its lease; nobody shows them.
 */
export const wait = sqliteTable(
  "wait",
  {
    id: integer("id").primaryKey(),
    /** The name of its writer (agent/this-process.ts). */
    process: text("process").notNull(),
    /** NULL: the service itself waits. */
    runId: integer("run_id").references(() => run.id, { onDelete: "cascade" }),
    place: text("place", { enum: WAIT_PLACES }).notNull(),
    code: text("code").notNull(),
    message: text("message").notNull(),
    hint: text("hint"),
    since: integer("since").notNull(),
    until: integer("until"),
  },
  (t) => [
    check("wait_place", isOneOf(t.place, WAIT_PLACES)),
    index("wait_by_process").on(t.process),
    index("wait_by_run").on(t.runId),
  ],
);
