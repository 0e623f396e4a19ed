/**
 * The schema of the configuration file, with every default and description. The JSON Schema and docs/configuration.md are
 * generated from it (`npm run schema:generate`). It checks each value separately, and makes it what the program uses (micros,
 * milliseconds, null for what is left out); cross-checks.ts checks how values fit together.
 */
import { z } from "zod";
import { DEFAULT_CONVERSION_LIMITS, DEFAULT_THREADS } from "../../content/conversion-limits.ts";
import { RUN_ORDERS } from "../../policy/rule.ts";
import { findQueueUrlProblem } from "../../queue/queue-url.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { policiesSchema } from "./policy-schema.ts";
import { alertsSchema, historySchema, serveSchema, webhooksSchema } from "./service-schema.ts";
import { budgetsSchema, pageCount, reportingSchema, sitesSchema } from "./site-schema.ts";
import { durationMs, durationText, moneyText, orNull } from "./text-formats.ts";

const MAX_THREADS = 64;
const MIN_BYTES = 1000;
const MAX_BYTES = 1_000_000_000;
const SECOND_MS = 1000;
const MAX_LOW_DISK_MB = 1_000_000_000;

const ledgerSchema = z
  .strictObject({
    path: z
      .string()
      .min(1)
      .default("./data/licet.sqlite")
      .describe("The SQLite file. A relative path starts at the configuration file."),
    mustExist: z
      .boolean()
      .default(false)
      .describe(
        "Whether a missing file is an error, also for `licet run`. Set it after the first run: otherwise a mistyped path creates a second ledger, whose budgets look unspent.",
      ),
    lowDiskMb: z
      .int()
      .min(0)
      .max(MAX_LOW_DISK_MB)
      .default(500)
      .describe(
        "With fewer megabytes free on its disk, `licet check` warns, and the alert `ledger_low_disk` is raised. licet buys nothing below 33 MB.",
      ),
    compress: z
      .enum(["none", "zstd"])
      .default("none")
      .describe(
        "`zstd` writes the Markdown and HTML of what is bought from now on compressed: the file takes less than half of the room, for 5 to 10 % more processor time a page and some 50 MB of memory. What is stored stays as it is. Programs that read the views of the ledger find such texts in `markdown_zstd` and `html_zstd`.",
      ),
    thread: z
      .boolean()
      .default(false)
      .describe(
        "Gives the ledger of runs and of a service a thread of its own, where the machine has more than one core: no wait for the disk then stands between a request and its answer. A gateway that answers after 50 ms is used 5 % better, for 12 % more processor time and 25 to 60 MB of memory. A fast gateway loses by it.",
      ),
  })
  .prefault({})
  .describe("Where purchases, content and uses are stored.");

const queueSchema = z
  .strictObject({
    url: z
      .string()
      .superRefine((url, context) => {
        const problem = findQueueUrlProblem(url);
        if (problem !== null) {
          context.addIssue({ code: "custom", message: problem });
        }
      })
      .default("embedded")
      .describe(
        "`embedded` needs no installation; the jobs are in the memory of the process. With `redis://…`, `rediss://…`, `redis+unix://…`, `redis-sentinel://…` or `redis-cluster://…` they are on a Redis or Valkey that others can inspect. Each process has its own queue.",
      ),
  })
  .prefault({})
  .describe("Carries work to the workers. Losing it loses no work.");

const runSchema = z
  .strictObject({
    order: z
      .enum(RUN_ORDERS)
      .default("catalog")
      .describe(
        "What is bought first when money is short. Other than `catalog`, all pages are quoted first: `newest`, `cheapest`, or the most `value` for the price.",
      ),
    maxPages: pageCount().describe("The most pages bought per run."),
    maxSpend: orNull(moneyText()).describe("The most money spent and reserved per run."),
    maxDuration: orNull(durationText(SECOND_MS)).describe(
      "How long a run may take. The remaining work can be resumed.",
    ),
  })
  .transform(({ maxDuration, ...run }) => ({ ...run, maxDurationMs: maxDuration }))
  .prefault({})
  .describe("The order of each run, and its limits in addition to the budgets. The command line can override them.");

const contentSchema = z
  .strictObject({
    threads: z
      .int()
      .min(1)
      .max(MAX_THREADS)
      .default(DEFAULT_THREADS)
      .describe("Threads that derive Markdown from HTML."),
    maxInputBytes: z
      .int()
      .min(MIN_BYTES)
      .max(MAX_BYTES)
      .default(DEFAULT_CONVERSION_LIMITS.inputBytes)
      .describe("HTML larger than this is stored without Markdown."),
    maxOutputBytes: z
      .int()
      .min(MIN_BYTES)
      .max(MAX_BYTES)
      .default(DEFAULT_CONVERSION_LIMITS.outputBytes)
      .describe("Markdown larger than this is not stored; the HTML is."),
    timeoutMs: durationMs(1)
      .prefault(DEFAULT_CONVERSION_LIMITS.timeMs)
      .describe(
        "How long the conversion of one page may take: milliseconds, or a duration such as `10s`. After that its HTML is stored without Markdown.",
      ),
    minBytes: z
      .int()
      .min(0)
      .max(MAX_BYTES)
      .default(1)
      .describe(
        "A paid page whose main content is shorter counts as empty. It is stored and counted, a warning is given, and a streak of such pages stops the site.",
      ),
  })
  .prefault({})
  .describe("What counts as content, and the local conversion of `format: both`.");

export const configSchema = z.strictObject({
  $schema: z.string().optional().describe("Address of the JSON Schema, for editors."),
  gateway: gatewaySchema,
  ledger: ledgerSchema,
  queue: queueSchema,
  budgets: budgetsSchema,
  policies: policiesSchema,
  sites: sitesSchema,
  reporting: reportingSchema,
  run: runSchema,
  content: contentSchema,
  serve: serveSchema,
  webhooks: webhooksSchema,
  history: historySchema,
  alerts: alertsSchema,
});

/** The configuration with its defaults, in micros and milliseconds. What refers to another section is not resolved yet. */
export type ConfigDocument = z.output<typeof configSchema>;
