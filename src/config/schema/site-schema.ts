/** The `sites`, `budgets` and `reporting` sections. */
import { z } from "zod";
import { BUDGET_PERIODS, type BudgetScope } from "../../budget/budget.ts";
import { USE_KINDS } from "../../usage/use.ts";
import { scheduleSchema } from "./service-schema.ts";
import { durationText, globText, hostText, moneyText, orNull, patternText, toHost } from "./text-formats.ts";

const MAX_SITES = 10_000;
const MAX_BUDGETS = 10_000;
const MAX_GLOBS = 10_000;
const MAX_BATCH_SIZE = 10_000;
const SECOND_MS = 1000;

const SCOPE_PATTERN = /^(?:all|run|site:.+)$/;

export const pageCount = () => orNull(z.int().min(1));

const kinds = () => z.array(z.enum(USE_KINDS)).max(USE_KINDS.length);

const refreshSchema = z
  .strictObject({
    when: z
      .enum(["modified", "always", "never"])
      .default("modified")
      .describe(
        "Whether a stored page is quoted again: when the catalog shows a newer version, on each run, or never.",
      ),
    maxAge: orNull(durationText(SECOND_MS)).describe("A stored version older than this is always out of date."),
    minAge: orNull(durationText(SECOND_MS)).describe(
      "A stored version younger than this is not bought again, whatever the catalog says. It is for catalogs whose dates are those of their own build. A page that was skipped for its age is checked again by the next full walk at the latest.",
    ),
    fullWalkEvery: durationText()
      .prefault("7d")
      .describe("How often the catalog is read to its end. Other walks stop at the known pages. `0s`: always."),
    overlap: durationText().prefault("24h").describe("How far below the newest known page a shortened walk reads."),
  })
  .transform(({ when, maxAge, minAge, fullWalkEvery, overlap }) => ({
    when,
    maxAgeMs: maxAge,
    minAgeMs: minAge,
    // A shortened walk never reaches the pages that "always" requires.
    fullWalkEveryMs: when === "always" || fullWalkEvery === 0 ? null : fullWalkEvery,
    overlapMs: overlap,
  }))
  .prefault({})
  .describe("When pages are bought again.");

const siteSchema = z.strictObject({
  host: hostText().describe("The site's host, without scheme and path."),
  policy: z.string().describe("Name of its policy."),
  schedule: orNull(scheduleSchema),
  include: z
    .array(globText())
    .max(MAX_GLOBS)
    .default([])
    .describe("Paths to include, as globs on the decoded path; empty: all."),
  exclude: z
    .array(globText())
    .max(MAX_GLOBS)
    .default([])
    .describe("Paths to exclude, as globs on the decoded path; takes precedence over `include`."),
  maxPages: pageCount().describe("The most pages bought per run."),
  refresh: refreshSchema,
  reporting: z
    .strictObject({
      kinds: kinds().optional().describe("As `reporting.kinds`, for this site."),
      billed: kinds().optional().describe("As `reporting.billed`, for this site."),
    })
    .optional()
    .describe("Settings of `reporting` that differ for this site, because its agreement differs."),
});

export const sitesSchema = z.array(siteSchema).max(MAX_SITES).describe("The sites whose pages are bought.");

const budgetSchema = z
  .strictObject({
    scope: patternText(SCOPE_PATTERN, "is not a scope: all, run, or site: and a host", [
      "all",
      "run",
      "site:news.example",
    ])
      .meta({ pattern: `${SCOPE_PATTERN.source}|\\$\\{` })
      .transform(toScope)
      .describe("What it covers: `all`, `site:<host>`, or each `run` separately."),
    per: z
      .enum(BUDGET_PERIODS)
      .optional()
      .describe("Calendar period in UTC, after which the budget starts again. Default: never. Not for `run`."),
    limit: moneyText().describe("The most that may be spent, reserved and in doubt together."),
  })
  .transform(({ scope, per = "total", limit }) => ({
    scope,
    period: per,
    limitMicros: limit.micros,
    currency: limit.currency,
  }));

/** What is not a host is a problem that cross-checks.ts names. */
function toScope(scope: string): BudgetScope {
  return scope === "all" || scope === "run"
    ? { kind: scope }
    : { kind: "site", host: toHost(scope.slice("site:".length)) ?? scope };
}

export const budgetsSchema = z
  .array(budgetSchema)
  .max(MAX_BUDGETS)
  .prefault([])
  .describe("A page must fit every budget that covers it. Without a budget in its currency a page is not bought.");

export const reportingSchema = z
  .strictObject({
    kinds: kinds()
      .default([...USE_KINDS])
      .describe("Which uses are reported: `fetch` is the use by the paid fetch itself, `use` is any later one."),
    billed: kinds()
      .default(["use"])
      .describe(
        "Which of them are charged on the report: later uses alone, since a fetch was paid when it was fetched. A kind that is not reported is not billed. Billing `fetch` here pays a fetch twice: once when it is fetched and once when it is reported.",
      ),
    batchSize: z.int().min(1).max(MAX_BATCH_SIZE).default(500).describe("Entries per report."),
    every: durationText(SECOND_MS).prefault("5m").describe("How often reports are sent by `licet serve`."),
    window: durationText(SECOND_MS)
      .prefault("24h")
      .describe(
        "A report without an answer for this long is not sent again automatically, because the gateway may have forgotten its id.",
      ),
  })
  .transform(({ every, window, ...terms }) => ({ ...terms, everyMs: every, windowMs: window }))
  .prefault({})
  .describe("How uses are reported to the gateway. Your agreement decides which of them cost money.");
