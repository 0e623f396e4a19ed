/** Buys pages now: a run of its own with the pages as its list, worked on in this process from the first quote to the last settlement. */
import type { RefreshTerms } from "../../catalog/freshness.ts";
import type { SiteConfig } from "../../config/config.ts";
import { assertBug, isLicetError, type LicetError } from "../../errors.ts";
import type { FetchedPage } from "../../ledger/fetch-ledger.ts";
import type { Lease } from "../../ledger/lease-ledger.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { RunSpec } from "../../ledger/run-ledger.ts";
import { createListDigest } from "../../list/list-digest.ts";
import type { Money } from "../../money/money.ts";
import type { StageDeps, StageEvents } from "../../pipeline/stage-deps.ts";
import { keepRun } from "../../pipeline/work/keep-run.ts";
import { SMALL_LEASE, type SmallRun, workBatches } from "../../pipeline/work/work-batches.ts";
import type { ExpiryPolicies } from "../../rights/rights.ts";
import type { RunState } from "../../run/run-state.ts";
import { checkClock } from "../clock/run-clock.ts";
import { createStageDeps, type Resources } from "../compose.ts";
import { toBeginRun } from "../runs/begin-run.ts";
import { askEarly, type EarlyRates } from "./early-rates.ts";
import type { WantedPage } from "./wanted-pages.ts";

/** A page of a configured site. */
export interface PageToBuy extends WantedPage {
  readonly site: SiteConfig;
}

export interface FetchRunRequest {
  readonly pages: readonly PageToBuy[];
  /** No page may cost more, fee included. */
  readonly maxPrice: Money | null;
  readonly maxSpend: Money | null;
  /** Content whose rights ended is bought again. */
  readonly expiry: ExpiryPolicies;
  readonly trustClock: boolean;
  readonly signal: AbortSignal;
  readonly events: StageEvents;
  /** Called when the run has begun. */
  readonly onBegin: (runId: string) => void;
}

export interface FetchRunEnd {
  readonly runId: string;
  /** By the identity of the page. A page that was not decided is not in it. Null: the ledger cannot say what the run has bought. */
  readonly fetched: ReadonlyMap<string, FetchedPage> | null;
  /** What ended the run before all pages were decided, or why nobody knows what it has bought. */
  readonly error: LicetError | null;
}

/** Somebody waits for the answer. The gateway's client has tried each request several times before a batch fails. */
const BATCH_ATTEMPTS = 1;

/** A version that is held and usable was answered before. No catalog's date is a reason to buy here. */
const REFRESH: RefreshTerms = { when: "modified", maxAgeMs: null, minAgeMs: null };

/** @throws LicetError when no run can begin: CLOCK_BEHIND, LEDGER_*, USAGE_INVALID; a bug */
export async function runFetch(resources: Resources, ledger: Ledger, request: FetchRunRequest): Promise<FetchRunEnd> {
  const { processes } = resources;
  const { events, trustClock, signal, pages } = request;
  const sites = [...new Set(pages.map(({ site }) => site))];
  const buyingClock = await checkClock(resources, ledger, { trusts: trustClock, events });
  const gateway = await resources.gateway();
  const process = processes.begin();
  const early = askEarly(gateway, pages, signal);
  try {
    const { spec, leases } = await begin(resources, ledger, request, { sites, process });
    const run = { runId: spec.runId, process };
    request.onBegin(run.runId);
    const options = { sites, maxSpend: spec.maxSpend, events, buyingClock };
    const deps = toFetchDeps(await createStageDeps(resources, ledger, options), request, early);
    const kept = keepRun(deps, run, signal);
    const worked = await work(deps, { ...run, leases }, request, kept.signal).finally(() => kept.stop());
    return await end(deps, run, { pages, signal, ...worked });
  } finally {
    early.stop();
    processes.end(process);
  }
}

/** Begins the run with all its pages, and leases their quotes, in one commit. */
async function begin(
  resources: Resources,
  ledger: Ledger,
  { pages, maxPrice, maxSpend, expiry, trustClock, events }: FetchRunRequest,
  { sites, process }: { readonly sites: readonly SiteConfig[]; readonly process: string },
): Promise<{ readonly spec: RunSpec; readonly leases: readonly Lease[] }> {
  const { config, tuning } = resources;
  const digest = createListDigest();
  for (const { url } of pages) {
    digest.add(url);
  }
  const { begun, recorded, leases } = await ledger.beginFetch({
    begin: await toBeginRun(resources, ledger, {
      which: { kind: "list", source: "fetch", path: null },
      checksClock: !trustClock,
      sites,
      process,
      options: { trigger: "list", ...(maxSpend === null ? {} : { maxSpend }) },
    }),
    lines: {
      linesBefore: 0,
      lines: pages.length,
      digest: digest.read(),
      isRead: true,
      pages: pages.map(({ url, wireUrl, site }, index) => ({
        line: index + 1,
        host: site.host,
        url,
        wireUrl,
        excluded: false,
        terms: { maxPrice, license: null, value: null },
        key: null,
      })),
      rejected: [],
      expiry,
      sites: sites.map(({ host, policy }) => ({ host, refresh: REFRESH, intent: policy.intent })),
      quoteBatchSize: config.gateway.quoteBatchSize,
    },
    lease: { ...SMALL_LEASE, leaseMs: tuning.pipeline.leaseMs },
  });
  assertBug(begun.kind === "begun", "no run keeps a fetch from beginning");
  for (const { host, otherScheme } of recorded.sites) {
    if (otherScheme !== null) {
      events.twoSchemes({ host, example: otherScheme, namedBy: "fetch" });
    }
  }
  return { spec: begun.spec, leases };
}

function toFetchDeps(deps: StageDeps, { expiry }: FetchRunRequest, { gateway }: EarlyRates): StageDeps {
  const sites = [...deps.sites].map(([host, site]) => [host, { ...site, refresh: REFRESH }] as const);
  return { ...deps, gateway, expiry, sites: new Map(sites), limits: { ...deps.limits, batchAttempts: BATCH_ATTEMPTS } };
}

/** What has become of the batches of a run. */
interface Worked {
  /** What ended the work early. Null: nothing did. */
  readonly error: LicetError | null;
  /** The run has ended with its last batch. */
  readonly isEnded: boolean;
}

async function work(
  deps: StageDeps,
  run: Omit<SmallRun, "readEnd">,
  { pages }: FetchRunRequest,
  signal: AbortSignal,
): Promise<Worked> {
  const { runId } = run;
  const readEnd = async () => findEnd(await deps.ledger.readFetched({ runId, urls: urlsOf(pages) }), null, signal);
  try {
    return { error: null, isEnded: await workBatches(deps, { ...run, readEnd }, signal) };
  } catch (error) {
    if (isLicetError(error)) {
      return { error, isEnded: false };
    }
    // Also after a bug, what has started is not lost: the run is still running, and the next fetch finishes it.
    throw error;
  }
}

const urlsOf = (pages: readonly PageToBuy[]): string[] => pages.map(({ url }) => url);

/**
 * Reads what the run has bought, and ends it where that was not done with its last batch. A ledger that fails now changes nothing of what was
 * paid: what can still be read is answered, and the run that could not be ended is ended by the next fetch (dead-fetch.ts).
 */
async function end(
  { ledger, clock, events }: StageDeps,
  run: { readonly runId: string; readonly process: string },
  { pages, error, isEnded, signal }: Pick<FetchRunRequest, "pages" | "signal"> & Worked,
): Promise<FetchRunEnd> {
  const { runId } = run;
  const read = await orError(ledger.readFetched({ runId, urls: urlsOf(pages) }));
  const fetched = isLicetError(read) ? null : new Map(read.map((page) => [page.url, page]));
  const cause = isLicetError(read) ? (error ?? read) : error;
  const state = findEnd([...(fetched?.values() ?? [])], cause, signal);
  const ended = isEnded || (await orError(ledger.endRun({ ...run, ...state, now: clock.now() })));
  if (isLicetError(read)) {
    events.warned(
      `what fetch ${runId} has bought cannot be read, so all that it might have bought counts: ${read.message}`,
    );
  }
  if (isLicetError(ended)) {
    events.warned(`fetch ${runId} could not be ended, and the next fetch ends it: ${ended.message}`);
  }
  return { runId, fetched, error: cause };
}

async function orError<Result>(call: Promise<Result>): Promise<Result | LicetError> {
  try {
    return await call;
  } catch (error) {
    if (isLicetError(error)) {
      return error;
    }
    throw error;
  }
}

const LIMIT_STATES = ["budget_exhausted", "max_spend", "max_pages"] as const satisfies readonly RunState[];

/** How the run ended. A failed one keeps what it has started, for the next run to probe. Nothing else is ever left. */
function findEnd(
  fetched: readonly FetchedPage[],
  error: LicetError | null,
  signal: AbortSignal,
): { readonly state: Exclude<RunState, "running">; readonly reason: string | null } {
  if (error !== null) {
    return { state: "failed", reason: error.message };
  }
  if (signal.aborted) {
    return { state: "cancelled", reason: "the fetch was interrupted" };
  }
  for (const state of LIMIT_STATES) {
    const denied = fetched.find((page) => page.kind === "denial" && page.reason === state);
    if (denied !== undefined) {
      return { state, reason: denied.detail };
    }
  }
  return { state: "completed", reason: null };
}
