/**
 * The shape of the configuration file, with every default and description: the JSON Schema and docs/configuration.md are made
 * from it (`npm run schema:generate`). It checks each value by itself; cross-checks.ts checks how they fit together.
 */
import { isIP } from "node:net";
import { z } from "zod";
import { DEFAULT_CONVERSION_LIMITS, DEFAULT_THREADS } from "../content/conversion-limits.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { policiesSchema } from "./policy-schema.ts";
import { budgetsSchema, pageCount, reportingSchema, sitesSchema } from "./site-schema.ts";
import { durationText, headerText, httpUrlText, moneyText, patternText } from "./text-formats.ts";

const MAX_WEBHOOKS = 1000;
const MAX_THREADS = 64;
const MIN_BYTES = 1000;
const MAX_BYTES = 1_000_000_000;
const SECOND_MS = 1000;

const ledgerSchema = z
  .strictObject({
    path: z
      .string()
      .min(1)
      .default("./data/licet.sqlite")
      .describe("The SQLite file; a relative path starts at the configuration file."),
    mustExist: z
      .boolean()
      .default(false)
      .describe(
        "Whether a missing file is an error, also for `licet run`. Set it after the first run: a mistyped path then begins no second ledger under budgets that look unspent.",
      ),
  })
  .prefault({})
  .describe("Where purchases, content and uses are kept.");

const queueSchema = z
  .strictObject({
    url: z
      .string()
      .refine(
        (url) => /^(?:embedded$|rediss?:\/\/|redis\+unix:\/\/|postgres(?:ql)?:\/\/)/.test(url),
        "must be embedded, or a redis://, rediss:// or postgres:// address",
      )
      .default("embedded")
      .describe(
        "`embedded` needs nothing installed; the jobs are in the memory of the process. With `redis://…`, `rediss://…` or `postgres://…` they are on a server that others can watch. Each process has a queue of its own.",
      ),
  })
  .prefault({})
  .describe("Carries work to the workers; losing it loses nothing.");

const runSchema = z
  .strictObject({
    maxPages: pageCount().describe("Pages bought per run at most."),
    maxSpend: moneyText().optional().describe("Money spent and set aside per run at most."),
    maxDuration: durationText(SECOND_MS).optional().describe("How long a run may take; what is left can be resumed."),
  })
  .prefault({})
  .describe("Limits of each run, beside the budgets; the command line can override them.");

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
      .describe("HTML larger than this is kept as it is."),
    maxOutputBytes: z
      .int()
      .min(MIN_BYTES)
      .max(MAX_BYTES)
      .default(DEFAULT_CONVERSION_LIMITS.outputBytes)
      .describe("Markdown larger than this is not kept; the HTML is."),
    timeoutMs: z
      .int()
      .min(1)
      .default(DEFAULT_CONVERSION_LIMITS.timeMs)
      .describe("How long one page may take, in milliseconds; after that its HTML is kept as it is."),
    minBytes: z
      .int()
      .min(0)
      .max(MAX_BYTES)
      .default(1)
      .describe(
        "A paid page whose main content is shorter came without content: it is kept, counted and warned of, and a streak of them stops the site.",
      ),
  })
  .prefault({})
  .describe("What counts as content, and the local conversion of `format: both`.");

const webhookSchema = z.strictObject({
  id: patternText(/^[\w.-]{1,64}$/, "is not an id: letters, digits, hyphens, dots").describe(
    "Names the subscription in logs.",
  ),
  path: patternText(/^\/[^?#\s]*$/, "is not a path: start it with /", ["/webhooks/main"]).describe(
    "Local path that receives deliveries.",
  ),
  url: httpUrlText().describe("The delivery URL exactly as registered: the signature covers this text."),
  secret: z.string().min(1).describe("Signing secret; comes from the environment, such as LICET_WEBHOOK_SECRET."),
  sourceIp: z
    .string()
    .refine((address) => isIP(address) !== 0, "is not an IP address")
    .optional()
    .describe("The gateway's address; deliveries from any other are refused."),
  userAgent: headerText().optional().describe("The gateway's user agent; deliveries with any other are refused."),
});

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
  webhooks: z
    .array(webhookSchema)
    .max(MAX_WEBHOOKS)
    .default([])
    .describe("Subscriptions whose notifications `licet serve` accepts."),
});

/** A configuration as it is written: optional where there is a default. */
export type ConfigInput = z.input<typeof configSchema>;
/** The same with its defaults, still in the file's own units and texts. */
export type ConfigDocument = z.output<typeof configSchema>;
