/**
 * Liveness: with faults off, every page that policy and budgets allow is held. Told from the gateway's catalog and the rates it has
 * now; what may excuse a missing page is narrow, and is itself held against the facts.
 */
import type { ScenarioBudget, ScenarioSite } from "../scenario.ts";
import { isDeniedByAddress } from "./addresses.ts";
import type { EndState, Evidence, Violation } from "./evidence.ts";
import { prepareLedgerRows } from "./ledger-rows.ts";
import { countPurchase, countUse, placesOf, placesOfPurchase, placesOfUse, totalOf } from "./money.ts";
import { findChoices, findIndexingRule, type Rate } from "./rates.ts";
import { newestOf } from "./settings.ts";
import { addAt, type Sums } from "./sums.ts";

interface RunRow {
  readonly id: number;
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly hasLimit: number;
}

interface HeldRow {
  readonly intent: "content" | "indexing" | null;
  readonly lastMod: string | null;
  readonly lastModAt: number | null;
  readonly denial: string | null;
  readonly stop: string | null;
  /** An incremental walk does not look at what is older. */
  readonly stopBelowAt: number | null;
  readonly isInDoubt: number;
}

type Page = EndState["catalog"][number];

export function endLiveness(evidence: Evidence, end: EndState): Violation[] {
  const { db } = evidence;
  const { sites } = newestOf(evidence);
  const run = db
    .prepare<[], RunRow>(
      `SELECT id, name, started_at AS startedAt, ended_at AS endedAt, coalesce(max_pages, max_spend_micros, deadline_at) IS NOT NULL AS hasLimit
       FROM run WHERE kind = 'run' ORDER BY id DESC LIMIT 1`,
    )
    .get();
  if (run === undefined) {
    return [];
  }
  const readHeld = db.prepare<[string, number, string], HeldRow>(
    `SELECT g.held_intent AS intent, g.held_last_mod AS lastMod, g.held_last_mod_at AS lastModAt, rs.stop, rs.walk_stop_below_at AS stopBelowAt,
       (SELECT reason FROM denial d WHERE d.page_id = g.id AND d.run_id = rs.run_id) AS denial,
       EXISTS (SELECT 1 FROM purchase p WHERE p.page_id = g.id AND p.state = 'in_doubt') AS isInDoubt
     FROM run_site rs JOIN site s ON s.id = rs.site_id LEFT JOIN page g ON g.site_id = s.id AND g.url = ? WHERE rs.run_id = ? AND s.host = ?`,
  );
  const isExhausted = createExhaustion(evidence, end, run);
  return end.catalog.flatMap((page): Violation[] => {
    const site = sites.find(({ host }) => new URL(page.url).host === host);
    if (
      site === undefined ||
      end.forbidden.has(page.url) ||
      isDeniedByAddress(page.url, site) ||
      !isAllowed(page, site, evidence)
    ) {
      return [];
    }
    const held = readHeld.get(page.url, run.id, site.host);
    if (held === undefined) {
      return [missing("site-is-walked", `${site.host} takes no part in ${run.name}, the last run`)];
    }
    const isExcused =
      isHeld(page, site, held) ||
      (held.isInDoubt === 1 && site.policy.inDoubt === "hold") ||
      isStopped(held, site, run, evidence, end, isExhausted) ||
      (held.stopBelowAt !== null && page.lastMod !== null && Date.parse(page.lastMod) < held.stopBelowAt);
    const why = `denial ${held.denial}, stop ${held.stop}`;
    return isExcused ? [] : [missing("allowed-page-is-held", `${page.url} is allowed and not held (${why})`)];
  });
}

/** The policy allows it, at the rates that the gateway lists now, in a currency with a budget. */
function isAllowed({ url }: Page, { host, policy }: ScenarioSite, evidence: Evidence): boolean {
  if (policy.intent === "indexing") {
    return policy.rules[findIndexingRule(policy)]?.verdict === "allow";
  }
  const rates = evidence.account.rates.get(url)?.at(-1)?.rates ?? [];
  const currencies = new Set(coveringBudgets(evidence, host).map(({ currency }) => currency));
  return findChoices(policy, rates, currencies).length > 0;
}

/** Held for what the policy wants it for, and not older than the catalog says where the policy refreshes what is modified. */
function isHeld({ lastMod }: Page, { policy, refresh }: ScenarioSite, held: HeldRow): boolean {
  const { intent, lastModAt } = held;
  const isThere = intent === "content" || (intent !== null && policy.intent === "indexing");
  const isOld =
    refresh === "modified" &&
    lastMod !== null &&
    lastMod !== held.lastMod &&
    lastModAt !== null &&
    lastModAt < Math.floor(Date.parse(lastMod));
  return isThere && !isOld;
}

/** A recorded stop of the site, or of buying, that the facts bear out. */
function isStopped(
  { denial, stop }: HeldRow,
  { host }: ScenarioSite,
  { hasLimit }: RunRow,
  { overchargedUrls, otherLicenseUrls }: Evidence,
  { forbidden }: EndState,
  isExhausted: (host: string) => boolean,
): boolean {
  const isOf = (urls: ReadonlySet<string>) => [...urls].some((url) => new URL(url).host === host);
  const isSaid = (reason: string) => denial === reason || stop === reason;
  return (
    (isSaid("budget_exhausted") && isExhausted(host)) ||
    (["max_pages", "max_spend", "max_duration"].some(isSaid) && hasLimit === 1) ||
    (["overcharged", "charge_unreadable"].some((kind) => stop === kind) && isOf(overchargedUrls)) ||
    (stop === "license_mismatch" && isOf(otherLicenseUrls)) ||
    (stop === "not_enabled" && isOf(forbidden))
  );
}

/**
 * Whether a budget that covers a host can have been met in the last run: all that was ever set aside in its period, with one
 * more of the dearest pages, is above its limit. A budget with more room than that has stopped nothing.
 */
function createExhaustion(evidence: Evidence, { catalog }: EndState, run: RunRow): (host: string) => boolean {
  const rows = prepareLedgerRows(evidence.db);
  const everSetAside: Sums = new Map();
  for (const row of rows.purchases.all()) {
    if (row.currency !== null) {
      const micros = Math.max(row.quoted + row.fee + row.useReserve, totalOf(countPurchase(row)));
      addAt(everSetAside, placesOfPurchase(row), row.currency, micros);
    }
  }
  for (const row of rows.uses.all()) {
    addAt(everSetAside, placesOfUse(row), row.currency, totalOf(countUse(row)));
  }
  const listed = catalog.flatMap(({ url }): readonly Rate[] => evidence.account.rates.get(url)?.at(-1)?.rates ?? []);
  // A page whose fetch is charged again on its report sets its price aside twice.
  const dearest = 2 * Math.max(0, ...listed.map(({ micros }) => micros));
  const decided = rows.purchases
    .all()
    .filter(({ runId }) => runId === run.id)
    .map(({ reservedAt }) => reservedAt);
  return (host) => {
    const places = [run.startedAt, run.endedAt, ...decided].flatMap((at) => placesOf(host, run.name, at));
    return coveringBudgets(evidence, host).some(({ scope, per, limitMicros, currency }) => {
      const prefix = scope === "run" ? `run:${run.name} total` : `${scope} ${per ?? "total"}`;
      const limited = places.filter((place) => place.startsWith(prefix));
      return limited.some((place) => (everSetAside.get(`${place} ${currency}`) ?? 0) + dearest > limitMicros);
    });
  };
}

/** Of the budgets that the last run was started with. */
function coveringBudgets(evidence: Evidence, host: string): readonly ScenarioBudget[] {
  return newestOf(evidence).budgets.filter(({ scope }) => !scope.startsWith("site:") || scope === `site:${host}`);
}

function missing(rule: string, detail: string): Violation {
  return { promise: "liveness", rule, detail };
}
