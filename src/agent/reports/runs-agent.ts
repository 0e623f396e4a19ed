/** `agent.runs` and `agent.runDetails`: the list of runs, and what one of them bought. */
import { LicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { PurchaseGroup, RunPurchase, RunsQuery } from "../../ledger/run-reports.ts";
import type { Spend } from "../../ledger/spend.ts";
import { addMicros, subtractMicros, ZERO_MICROS } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { PURCHASE_STATES, type PurchaseState } from "../../purchase/purchase.ts";
import type { Resources } from "../compose.ts";
import { findGone } from "../runs/find-unfinished.ts";
import { readWaits } from "../waits/read-waits.ts";
import { dayBounds } from "./chosen-days.ts";
import { combineSpends } from "./combine-spends.ts";
import type { ListedRun, RunDetails, RunDetailsFilter, RunFilter, RunList, SiteSpend } from "./runs-report.ts";

export const DEFAULT_RUNS = 20;
export const DEFAULT_PURCHASES = 100;
/** Purchases that are read at once. */
const PURCHASES_A_READ = 5_000;

type SpendByCurrency = Readonly<Record<Currency, Spend>>;

export async function runsAgent(resources: Resources, filter: RunFilter): Promise<RunList> {
  const now = resources.clock.now();
  return readRuns(resources, await resources.ledger("read"), {
    limit: filter.limit ?? DEFAULT_RUNS,
    runId: filter.run ?? null,
    host: filter.site ?? null,
    state: filter.state ?? null,
    kind: filter.kind ?? null,
    since: filter.from === undefined ? null : dayBounds(filter.from, now).from,
    until: filter.to === undefined ? null : dayBounds(filter.to, now).to,
    before: filter.cursor === undefined ? null : Number(filter.cursor),
  });
}

/** Also says which runs died: their process is known to have ended, or was silent for too long; and what those wait for that are alive. */
export async function readRuns(
  resources: Resources,
  ledger: Ledger,
  query: Partial<Omit<RunsQuery, "limit" | "now" | "aliveMs" | "gone">> & Pick<RunsQuery, "limit">,
): Promise<RunList> {
  const asked = { host: null, state: null, runId: null, ...query, ...(await findGone(resources, ledger)) };
  const { runs, total, next } = await ledger.readRuns(asked);
  const alive = new Set(runs.filter(({ isAlive }) => isAlive).map(({ runId }) => runId));
  const waits = await readWaits(resources, ledger, { runs: alive, service: false });
  const nextCursor = next === null ? null : String(next);
  return {
    total,
    nextCursor,
    runs: runs.map((run) => ({ ...run, waits: waits.filter(({ runId }) => runId === run.runId) })),
  };
}

/** @throws LicetError RUN_NOT_FOUND */
export async function runDetailsAgent(
  resources: Resources,
  runId: string,
  filter: RunDetailsFilter,
): Promise<RunDetails> {
  const { limit = DEFAULT_PURCHASES, site = null, license = null, state = null } = filter;
  const ledger = await resources.ledger("read");
  const run = await readOverview(resources, ledger, runId);
  const { denials } = await ledger.readRun(runId);
  const groups = await ledger.readPurchaseGroups({ runId });
  const matching = groups.filter((group) => isListed(group, filter));
  const query = { runId, host: site, license, state: state === "denied" ? null : state };
  const listsDenied = license === null && (state === null || state === "denied");
  const sites = addUpSites(groups);
  const { denied, total: deniedTotal } = listsDenied
    ? await ledger.readDeniedPages({ runId, host: site, limit })
    : { denied: [], total: 0 };
  return {
    run,
    purchases: state === "denied" ? [] : await readPurchases(ledger, query, limit),
    purchasesTotal: matching.reduce((total, { purchases }) => total + purchases, 0),
    sites,
    usesSpend: subtractSpend(
      run.spend,
      sites.map(({ spend }) => spend),
    ),
    denials,
    denied,
    deniedTotal,
    acts: await ledger.readActs({ before: null, runId, limit }),
  };
}

export async function readOverview(resources: Resources, ledger: Ledger, runId: string): Promise<ListedRun> {
  const [run] = (await readRuns(resources, ledger, { runId, limit: 1 })).runs;
  if (run === undefined) {
    throw new LicetError("RUN_NOT_FOUND", `there is no run ${runId}`, {
      hint: "`licet runs` lists the runs.",
      details: { runId },
    });
  }
  return run;
}

async function readPurchases(
  ledger: Ledger,
  query: Omit<Parameters<Ledger["readRunPurchases"]>[0], "afterPurchaseId" | "limit">,
  limit: number,
): Promise<readonly RunPurchase[]> {
  const purchases: RunPurchase[] = [];
  for (;;) {
    const wanted = Math.min(PURCHASES_A_READ, limit - purchases.length);
    const afterPurchaseId = purchases.at(-1)?.purchaseId ?? 0;
    const read = await ledger.readRunPurchases({ ...query, afterPurchaseId, limit: wanted });
    purchases.push(...read);
    if (read.length < PURCHASES_A_READ || purchases.length === limit) {
      return purchases;
    }
  }
}

/** As the ledger filters the purchases themselves. */
function isListed(group: PurchaseGroup, { site, license, state }: RunDetailsFilter): boolean {
  return (
    (site === undefined || group.host === site) &&
    (license === undefined || group.licenseType === license || group.cuid === license) &&
    (state === undefined || group.state === state)
  );
}

function addUpSites(groups: readonly PurchaseGroup[]): SiteSpend[] {
  const hosts = [...new Set(groups.map(({ host }) => host))];
  return hosts.map((host) => {
    const own = groups.filter((group) => group.host === host);
    return { host, purchases: countStates(own), spend: addSpend(own) };
  });
}

function countStates(groups: readonly PurchaseGroup[]): Record<PurchaseState, number> {
  const count = (wanted: PurchaseState) =>
    groups.reduce((sum, { state, purchases }) => (state === wanted ? sum + purchases : sum), 0);
  return Object.fromEntries(PURCHASE_STATES.map((state) => [state, count(state)])) as Record<PurchaseState, number>;
}

function addSpend(groups: readonly PurchaseGroup[]): SpendByCurrency {
  const sums: Record<Currency, Spend> = {};
  for (const { currency, spend } of groups) {
    if (currency !== null) {
      sums[currency] = combineSpends(sums[currency] ?? NOTHING, spend, addMicros);
    }
  }
  return sums;
}

const NOTHING: Spend = {
  settledMicros: ZERO_MICROS,
  inDoubtMicros: ZERO_MICROS,
  reservedMicros: ZERO_MICROS,
  feeMicros: ZERO_MICROS,
};

/** What is left of an amount after its parts; currencies of which nothing is left are absent. */
function subtractSpend(whole: SpendByCurrency, parts: readonly SpendByCurrency[]): SpendByCurrency {
  const left = Object.entries(whole).map(([currency, spend]): [Currency, Spend] => [
    currency,
    parts.reduce((rest, part) => combineSpends(rest, part[currency] ?? NOTHING, subtractMicros), spend),
  ]);
  return Object.fromEntries(left.filter(([, spend]) => Object.values(spend).some((micros) => micros !== 0)));
}
