/** `agent.use`: records uses of stored pages in batches. Memory stays flat for any number of uses. */
import { parseLastMod } from "../../catalog/last-mod.ts";
import { canonicalPageUrl } from "../../catalog/page-url.ts";
import { assertLicetError } from "../../errors.ts";
import type { RecordedUse, RecordUses, UseRecord, UseTerms } from "../../ledger/usage-ledger.ts";
import { addMicros, type Micros, ZERO_MICROS } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { type RightsEnd, toExpiryPolicies } from "../../rights/rights.ts";
import { findUnrealYear, isRealInstant, REAL_YEARS } from "../../time/iso-instant.ts";
import { isInstant, isUseCount, MAX_USE_TIMES } from "../../usage/use.ts";
import type { UseAfterRights, UseInput, UseOptions, UseReport } from "../agent.ts";
import type { Resources } from "../compose.ts";
import { explainUse } from "../reports/explain-agent.ts";

/** Uses recorded in one ledger transaction. */
const USE_BATCH = 500;
/** The largest difference between the clocks of two machines. */
const MAX_CLOCK_SKEW_MS = 60_000;
/** The number of refusals in the report. All refusals are counted. */
const MAX_REFUSALS = 1000;
/** The number of uses after the end of the rights in the report. All of them are counted. */
const MAX_AFTER_RIGHTS = 100;

const REFUSALS: Readonly<Record<Extract<RecordedUse, { kind: "refused" }>["reason"], string>> = {
  not_stored: "licet has not stored this page",
  needs_terms: "licet does not know the licence for uses of this page",
  other_use: "its key belongs to another use: a different page, count or time was recorded under it",
  over_budget:
    "it exceeds a budget: record it with --over-budget (overBudget in the library) if it has happened, or raise the budget",
  uncountable: "the cost of so many uses cannot be counted exactly: record them in several smaller counts",
};

interface Counters {
  recorded: number;
  repeated: number;
  refused: { url: string; reason: string }[];
  reserved: Map<Currency, Micros>;
  overBudget: boolean;
  afterRights: { count: number; readonly pages: UseAfterRights[] };
}

export async function useAgent(
  resources: Resources,
  uses: Iterable<UseInput> | AsyncIterable<UseInput>,
  { overBudget = false, dryRun = false }: UseOptions = {},
): Promise<UseReport> {
  const how = { refuseOverBudget: !overBudget, dryRun };
  const counters: Counters = {
    recorded: 0,
    repeated: 0,
    refused: [],
    reserved: new Map(),
    overBudget: false,
    afterRights: { count: 0, pages: [] },
  };
  let batch: UseRecord[] = [];
  for await (const use of uses) {
    const record = toRecord(resources, use, counters);
    if (record !== null) {
      batch.push(record);
    }
    if (batch.length === USE_BATCH) {
      await recordBatch(resources, batch, counters, how);
      batch = [];
    }
  }
  await recordBatch(resources, batch, counters, how);
  const { reserved, ...counted } = counters;
  return { ...counted, dryRun, reservedMicros: Object.fromEntries(reserved) };
}

function toRecord({ clock }: Resources, use: UseInput, counters: Counters): UseRecord | null {
  const { times = 1, usedAt, key = null } = use;
  const at = usedAt === undefined ? clock.now() : typeof usedAt === "number" ? usedAt : parseLastMod(usedAt);
  const url = canonicalPageUrl(use.url);
  if (url === null) {
    return refuse(counters, use.url, "it is not the URL of a page");
  }
  if (!isUseCount(times)) {
    return refuse(counters, use.url, `times must be a whole number from 1 to ${MAX_USE_TIMES}`);
  }
  if (at === null || !isRealInstant(at)) {
    return refuse(counters, use.url, describeNoInstant(usedAt));
  }
  if (at > clock.now() + MAX_CLOCK_SKEW_MS) {
    return refuse(counters, use.url, "usedAt is in the future: a use is recorded after it has happened");
  }
  return { url, times, usedAt: at, isUndated: usedAt === undefined, terms: null, key };
}

/** @param usedAt what is not an instant of a use */
function describeNoInstant(usedAt: UseInput["usedAt"]): string {
  if (typeof usedAt === "number" && isInstant(usedAt)) {
    const read = new Date(usedAt).toISOString();
    return `usedAt ${usedAt} is ${read}, and dates are of the years ${REAL_YEARS}: give epoch milliseconds, not seconds`;
  }
  const year = typeof usedAt === "string" ? findUnrealYear(usedAt) : null;
  return year === null
    ? "usedAt must be an ISO 8601 date or epoch milliseconds"
    : `usedAt is in the year ${year}, and dates are of the years ${REAL_YEARS}: leave it away for now`;
}

function refuse(counters: Counters, url: string, reason: string): null {
  if (counters.refused.length < MAX_REFUSALS) {
    counters.refused.push({ url, reason });
  }
  return null;
}

type How = Pick<RecordUses, "refuseOverBudget" | "dryRun">;

async function recordBatch(
  resources: Resources,
  uses: readonly UseRecord[],
  counters: Counters,
  how: How,
): Promise<void> {
  if (uses.length === 0) {
    return;
  }
  const results = await record(resources, uses, how);
  const retries: UseRecord[] = [];
  for (const [index, result] of results.entries()) {
    const use = uses[index];
    if (use === undefined) {
      continue;
    }
    if (result.kind === "refused" && result.reason === "needs_terms") {
      const terms = await currentTerms(resources, use.url);
      if (typeof terms === "string") {
        refuse(counters, use.url, terms);
      } else {
        retries.push({ ...use, terms });
      }
      continue;
    }
    count(counters, use, result);
  }
  if (retries.length > 0) {
    const again = await record(resources, retries, how);
    for (const [index, result] of again.entries()) {
      const use = retries[index];
      if (use !== undefined) {
        count(counters, use, result);
      }
    }
  }
}

async function record(
  { config, clock, ledger }: Resources,
  uses: readonly UseRecord[],
  how: How,
): Promise<readonly RecordedUse[]> {
  return (await ledger("existing")).recordUses({
    uses,
    ...how,
    terms: new Map(config.sites.map((site) => [site.host, site.reporting])),
    defaultTerms: config.reporting,
    expiry: toExpiryPolicies(config.policies.values(), config.sites),
    budgets: config.budgets,
    now: clock.now(),
  });
}

function count(counters: Counters, use: UseRecord, result: RecordedUse): void {
  if (result.kind === "repeated") {
    counters.repeated++;
    return;
  }
  if (result.kind === "refused") {
    refuse(counters, use.url, REFUSALS[result.reason]);
    return;
  }
  counters.recorded++;
  counters.overBudget ||= result.overBudget;
  if (result.lapse !== null) {
    countLapse(counters.afterRights, use, result.lapse);
  }
  if (result.reserved !== null) {
    const { currency, micros } = result.reserved;
    counters.reserved.set(currency, addMicros(counters.reserved.get(currency) ?? ZERO_MICROS, micros));
  }
}

function countLapse(
  afterRights: Counters["afterRights"],
  { url, usedAt }: UseRecord,
  { at: endedAt, why }: RightsEnd,
): void {
  afterRights.count++;
  if (afterRights.pages.length < MAX_AFTER_RIGHTS) {
    afterRights.pages.push({ url, usedAt, endedAt, why });
  }
}

/**
 * The license that the policy chooses at the current rates, for a page that was only indexed. Or the reason why there is none.
 */
async function currentTerms(resources: Resources, url: string): Promise<UseTerms | string> {
  try {
    const { live, error } = await explainUse(resources, url);
    if (live === null) {
      return `the page was only indexed and its rates cannot be read: ${error?.message}`;
    }
    if (live.verdict.kind !== "allowed" || live.verdict.rate === null) {
      return `the page was only indexed and no current rate is allowed (${live.verdict.kind === "denied" ? live.verdict.reason : "no rate"})`;
    }
    const { license, price } = live.verdict.rate;
    return { license, unitMicros: price.micros, currency: price.currency };
  } catch (error) {
    assertLicetError(error);
    return error.message;
  }
}
