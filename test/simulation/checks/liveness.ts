/**
 * Liveness: with faults off, every page that policy and budgets allow is stored. This is computed from the gateway's catalog and
 * its present rates. Only a few reasons excuse a missing page, and they are checked against the facts.
 */
import type { ScenarioSite } from "../scenario.ts";
import { isDeniedByAddress } from "./addresses.ts";
import type { EndState, Evidence, Violation } from "./evidence.ts";
import { coveringBudgets, createExhaustion, type LastRun } from "./exhaustion.ts";
import { isForbiddenAllOver } from "./forbidden.ts";
import { findChoices, findIndexingRule } from "./rates.ts";
import { newestOf } from "./settings.ts";
import { createLastFullWalk, judgeWalk, maybeUnseen } from "./walks.ts";

interface PageRow {
  readonly intent: "content" | "indexing" | null;
  readonly lastMod: string | null;
  readonly lastModAt: number | null;
  readonly denial: string | null;
  readonly stop: string | null;
  /** An incremental walk does not look at what is older. */
  readonly stopBelowAt: number | null;
  readonly isInDoubt: number;
  readonly wasRefused: number;
  /** Pages that the last run has decided to buy on the site. */
  readonly decided: number;
}

type Page = EndState["catalog"][number];

export function endLiveness(evidence: Evidence, end: EndState): Violation[] {
  const { db } = evidence;
  const { sites } = newestOf(evidence);
  // A plain run may have gone on with an older one: the last run is not always the newest.
  const worked = [...(evidence.runLimits?.keys() ?? [])];
  const run = db
    .prepare<[], LastRun>(
      `SELECT id, name, started_at AS startedAt, ended_at AS endedAt, coalesce(max_pages, max_spend_micros, deadline_at) IS NOT NULL AS hasLimit
       FROM run WHERE kind NOT IN ('planning', 'webhook') ORDER BY id`,
    )
    .all()
    .reduce<LastRun | undefined>(
      (last, one) => (last !== undefined && worked.indexOf(one.name) < worked.indexOf(last.name) ? last : one),
      undefined,
    );
  if (run === undefined) {
    return [];
  }
  const readStored = db.prepare<[string, number, string], PageRow>(
    `SELECT g.held_intent AS intent, g.held_last_mod AS lastMod, g.held_last_mod_at AS lastModAt, rs.stop, rs.walk_stop_below_at AS stopBelowAt,
       (SELECT reason FROM denial d WHERE d.page_id = g.id AND d.run_id = rs.run_id) AS denial,
       EXISTS (SELECT 1 FROM purchase p WHERE p.page_id = g.id AND p.state = 'in_doubt') AS isInDoubt,
       EXISTS (SELECT 1 FROM purchase p JOIN run r ON r.id = p.run_id WHERE p.page_id = g.id AND p.run_id = rs.run_id
         AND p.reason IN ('token_refused', 'content_refused') AND p.ended_at < r.resumed_at) AS wasRefused,
       (WITH RECURSIVE chain (id) AS (VALUES (rs.run_id) UNION SELECT r.id FROM chain c JOIN run r ON r.taken_over_by = c.id WHERE r.ended_by = 'run')
        SELECT count(*) FROM purchase p WHERE p.site_id = s.id AND p.run_id IN chain) AS decided
     FROM run_site rs JOIN site s ON s.id = rs.site_id LEFT JOIN page g ON g.site_id = s.id AND g.url = ? WHERE rs.run_id = ? AND s.host = ?`,
  );
  const isExhausted = createExhaustion(evidence, end, run);
  const lastFullWalk = createLastFullWalk(evidence);
  return end.catalog.flatMap((page): Violation[] => {
    const site = sites.find(({ host }) => new URL(page.url).host === host);
    if (site === undefined || end.forbidden.has(page.url) || isDeniedByAddress(page.url, site)) {
      return [];
    }
    const currencies = allowedCurrencies(page, site, evidence);
    if (currencies.size === 0) {
      return [];
    }
    const stored = readStored.get(page.url, run.id, site.host);
    if (stored === undefined) {
      return [missing("site-is-walked", `${site.host} takes no part in ${run.name}, the last run`)];
    }
    const walk = lastFullWalk(site.host, run.id);
    const wrongWalk = judgeWalk(site, stored.stopBelowAt, walk, evidence.runStarts?.get(run.name) ?? null);
    if (wrongWalk !== null) {
      return [wrongWalk];
    }
    const isExcused =
      isStored(page, site, stored) ||
      (stored.isInDoubt === 1 && site.policy.inDoubt === "hold") ||
      // Before the last run went on with it: a run asks for a page once, and the next run asks again.
      stored.wasRefused === 1 ||
      isStopped(stored, site, run, evidence, end, () => isExhausted(site.host, currencies)) ||
      maybeUnseen(page, stored.stopBelowAt, walk, evidence);
    const why = `denial ${stored.denial}, stop ${stored.stop}`;
    return isExcused ? [] : [missing("allowed-page-is-stored", `${page.url} is allowed and not stored (${why})`)];
  });
}

/** In which currencies the policy allows it, at the rates that the gateway lists now; with no rates, in any. None: it may not be bought. */
function allowedCurrencies({ url }: Page, { host, policy }: ScenarioSite, evidence: Evidence): ReadonlySet<string> {
  const currencies = new Set(coveringBudgets(evidence, host).map(({ currency }) => currency));
  if (policy.intent === "indexing") {
    return new Set(policy.rules[findIndexingRule(policy)]?.verdict === "allow" ? ["any", ...currencies] : []);
  }
  const rates = evidence.account.rates.get(url)?.at(-1)?.rates ?? [];
  return new Set(findChoices(policy, rates, currencies).map(({ rate }) => rate.currency));
}

/** Stored for the policy's intent, and not older than the catalog's date where the policy refreshes modified pages. */
function isStored({ lastMod }: Page, { policy, refresh }: ScenarioSite, stored: PageRow): boolean {
  const { intent, lastModAt } = stored;
  const isThere = intent === "content" || (intent !== null && policy.intent === "indexing");
  const isOld =
    refresh === "modified" &&
    lastMod !== null &&
    lastMod !== stored.lastMod &&
    lastModAt !== null &&
    lastModAt < Math.floor(Date.parse(lastMod));
  return isThere && !isOld;
}

/** A recorded stop of the site, or of buying, that the facts bear out. */
function isStopped(
  { denial, stop, decided }: PageRow,
  { host, maxPages }: ScenarioSite,
  { hasLimit }: LastRun,
  { overchargedUrls, otherLicenseUrls }: Evidence,
  end: EndState,
  isExhausted: () => boolean,
): boolean {
  const isOf = (urls: ReadonlySet<string>) => [...urls].some((url) => new URL(url).host === host);
  const isSaid = (reason: string) => denial === reason || stop === reason;
  return (
    (isSaid("budget_exhausted") && isExhausted()) ||
    (isSaid("max_pages") && maxPages !== undefined && decided >= maxPages) ||
    (["max_pages", "max_spend", "max_duration"].some(isSaid) && hasLimit === 1) ||
    (["overcharged", "charge_unreadable"].some((kind) => stop === kind) && isOf(overchargedUrls)) ||
    (stop === "license_mismatch" && isOf(otherLicenseUrls)) ||
    (stop === "not_enabled" && isForbiddenAllOver(host, end))
  );
}

function missing(rule: string, detail: string): Violation {
  return { promise: "liveness", rule, detail };
}
