/** `agent.use`: records uses of held pages, in batches, with flat memory however many there are. */
import { parseLastMod } from "../catalog/last-mod.ts";
import { canonicalPageUrl } from "../catalog/page-url.ts";
import { isLicetError } from "../errors.ts";
import type { RecordedUse, RecordUses, UseRecord, UseTerms } from "../ledger/usage-ledger.ts";
import { addMicros, type Micros, ZERO_MICROS } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import { isInstant, isUseCount, MAX_USE_TIMES } from "../usage/use.ts";
import type { UseInput, UseOptions, UseReport } from "./agent.ts";
import type { Resources } from "./compose.ts";
import { explainAgent } from "./explain-agent.ts";

/** Uses recorded in one ledger transaction. */
const USE_BATCH = 500;
/** Clocks of two machines differ by this much at most. */
const MAX_CLOCK_SKEW_MS = 60_000;
/** Refusals listed in the report; all are counted. */
const MAX_REFUSALS = 1000;

const REFUSALS: Readonly<Record<Extract<RecordedUse, { kind: "refused" }>["reason"], string>> = {
  not_held: "licet does not hold this page",
  needs_terms: "licet does not know under which licence this page is used",
  other_use: "its key names another use: another page, count or instant was recorded under it",
  over_budget:
    "it passes a budget: record it with --over-budget (overBudget in the library) if it has happened, or raise the budget",
  uncountable: "what so many uses cost can no longer be counted exactly: record them in several smaller counts",
};

interface Tally {
  recorded: number;
  repeated: number;
  refused: { url: string; reason: string }[];
  reserved: Map<Currency, Micros>;
  overBudget: boolean;
}

export async function useAgent(
  resources: Resources,
  uses: Iterable<UseInput> | AsyncIterable<UseInput>,
  { overBudget = false, dryRun = false }: UseOptions = {},
): Promise<UseReport> {
  const how = { refuseOverBudget: !overBudget, dryRun };
  const tally: Tally = { recorded: 0, repeated: 0, refused: [], reserved: new Map(), overBudget: false };
  let batch: UseRecord[] = [];
  for await (const use of uses) {
    const record = toRecord(resources, use, tally);
    if (record !== null) {
      batch.push(record);
    }
    if (batch.length === USE_BATCH) {
      await recordBatch(resources, batch, tally, how);
      batch = [];
    }
  }
  await recordBatch(resources, batch, tally, how);
  return { ...tally, dryRun, reserved: Object.fromEntries(tally.reserved) };
}

function toRecord({ clock }: Resources, use: UseInput, tally: Tally): UseRecord | null {
  const { times = 1, usedAt, key = null } = use;
  const at = usedAt === undefined ? clock.now() : typeof usedAt === "number" ? usedAt : parseLastMod(usedAt);
  const url = canonicalPageUrl(use.url);
  if (url === null) {
    return refuse(tally, use.url, "it is not the URL of a page");
  }
  if (!isUseCount(times)) {
    return refuse(tally, use.url, `times must be a whole number from 1 to ${MAX_USE_TIMES}`);
  }
  if (at === null || !isInstant(at)) {
    return refuse(tally, use.url, "usedAt must be an ISO 8601 date or epoch milliseconds");
  }
  if (at > clock.now() + MAX_CLOCK_SKEW_MS) {
    return refuse(tally, use.url, "usedAt is in the future: a use is recorded after it has happened");
  }
  return { url, times, usedAt: at, isUndated: usedAt === undefined, terms: null, key };
}

function refuse(tally: Tally, url: string, reason: string): null {
  if (tally.refused.length < MAX_REFUSALS) {
    tally.refused.push({ url, reason });
  }
  return null;
}

type How = Pick<RecordUses, "refuseOverBudget" | "dryRun">;

async function recordBatch(resources: Resources, uses: readonly UseRecord[], tally: Tally, how: How): Promise<void> {
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
        refuse(tally, use.url, terms);
      } else {
        retries.push({ ...use, terms });
      }
      continue;
    }
    count(tally, use, result);
  }
  if (retries.length > 0) {
    const again = await record(resources, retries, how);
    for (const [index, result] of again.entries()) {
      const use = retries[index];
      if (use !== undefined) {
        count(tally, use, result);
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
    budgets: config.budgets,
    now: clock.now(),
  });
}

function count(tally: Tally, use: UseRecord, result: RecordedUse): void {
  if (result.kind === "repeated") {
    tally.repeated++;
    return;
  }
  if (result.kind === "refused") {
    refuse(tally, use.url, REFUSALS[result.reason]);
    return;
  }
  tally.recorded++;
  tally.overBudget ||= result.overBudget;
  if (result.reserved !== null) {
    const { currency, micros } = result.reserved;
    tally.reserved.set(currency, addMicros(tally.reserved.get(currency) ?? ZERO_MICROS, micros));
  }
}

/** The licence that the policy picks at the current rates, for a page that was only indexed; or why there is none. */
async function currentTerms(resources: Resources, url: string): Promise<UseTerms | string> {
  try {
    const { live, liveError } = await explainAgent(resources, url, { asUse: true });
    if (live === null) {
      return `it was only indexed and its rates cannot be read: ${liveError}`;
    }
    if (live.verdict.kind !== "allowed" || live.verdict.rate === null) {
      return `it was only indexed and no current rate is allowed (${live.verdict.kind === "denied" ? live.verdict.reason : "no rate"})`;
    }
    const { license, price } = live.verdict.rate;
    return { license, unitMicros: price.micros, currency: price.currency };
  } catch (error) {
    if (!isLicetError(error)) {
      throw error;
    }
    return error.message;
  }
}
