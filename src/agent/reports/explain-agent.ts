/**
 * `agent.explain`: the page's current rates at the gateway, what each rule decides about it, and what the ledger contains about
 * it.
 */
import { fitsBudget } from "../../budget/covering-budgets.ts";
import { leftAndOver } from "../../budget/headroom.ts";
import { budgetBalanceKey, budgetedCurrencies } from "../../budget/scope.ts";
import { parseLastMod } from "../../catalog/last-mod.ts";
import { canonicalPageUrl, type PageUrl, parsePageUrl } from "../../catalog/page-url.ts";
import type { SiteConfig } from "../../config/config.ts";
import { assertLicetError, LicetError } from "../../errors.ts";
import { HINT_KINDS } from "../../ledger/hint-ledger.ts";
import { toListedPrice } from "../../money/listed-price.ts";
import { REFUSALS } from "../../pipeline/quote/granted-page.ts";
import { describeRule } from "../../policy/describe-rule.ts";
import { explainIndexing, explainPage, type Explanation as PageExplanation } from "../../policy/explain-page.ts";
import { compilePolicy } from "../../policy/match-rule.ts";
import { priceOf } from "../../policy/price.ts";
import { toListedVerdict } from "../../policy/verdict.ts";
import { toListedRates } from "../../rates/listed-rate.ts";
import type { RateListing } from "../../rates/rate.ts";
import { isBilled } from "../../usage/use.ts";
import { budgetLabel } from "../alerts/budget-label.ts";
import { type Resources, withLedgerOrEmpty } from "../compose.ts";
import { readHeld } from "../fetch/held-pages.ts";
import { findRights } from "../rights/document-rights.ts";
import { drawConclusion, type Explained } from "./draw-conclusion.ts";
import type { ExplainOptions, Explanation } from "./explanation.ts";

/** Characters of a wrong URL that an error message repeats. */
const MAX_SHOWN_CHARS = 200;

/** @throws LicetError PAGE_URL_INVALID, USAGE_INVALID for a host that is not configured, LEDGER_* */
export async function explainAgent(
  resources: Resources,
  rawUrl: string,
  { needsLedger = false }: ExplainOptions = {},
): Promise<Explanation> {
  return needsLedger
    ? explainIn(resources, rawUrl)
    : withLedgerOrEmpty(resources, "read", (ledger) => explainIn({ ...resources, ledger: async () => ledger }, rawUrl));
}

async function explainIn(resources: Resources, rawUrl: string): Promise<Explanation> {
  const page = parsePage(rawUrl);
  const site = findSite(resources, page, `${page.url} will not be bought: `);
  const { record, live, error } = await askRates(resources, site, page, { indexes: site.policy.intent === "indexing" });
  const verdict = live?.verdict ?? null;
  const rate = verdict?.kind === "allowed" ? verdict.rate : null;
  const { fee } = resources.config.gateway;
  const cost = rate === null ? null : priceOf(rate, { fee, isFetchBilled: isBilled("fetch", site.reporting) }).cost;
  const balances = await readBalances(resources, site);
  const isRefused = error !== null && REFUSALS.has(error.code);
  return {
    conclusion: await drawConclusion(resources, {
      site,
      page,
      record,
      verdict,
      error,
      isRefused,
      cost,
      balances,
    }),
    url: page.url,
    host: site.host,
    policy: { name: site.policy.name, rules: site.policy.rules.map(describeRule) },
    live: live === null ? null : toPrintedLive(live),
    liveError: error?.message ?? null,
    isGatewayDown: error !== null && !isRefused,
    budgets: balances.map(({ budget, balance }) => ({
      label: budgetLabel(budget),
      leftMicros: leftAndOver(budget, balance).leftMicros,
      currency: budget.currency,
      fits: cost !== null && fitsBudget(budget, balance, cost),
    })),
    record,
    storedAs: await findHeldAs(resources, site, page),
    rights: record?.stored ? findRights(resources, { ...record.stored, host: record.host }) : null,
    notifications: await readNotifications(resources, page),
  };
}

async function findHeldAs(resources: Resources, site: SiteConfig, { url }: PageUrl): Promise<string | null> {
  const { usable } = await readHeld(resources, await resources.ledger("read"), [{ url, site }]);
  return usable.get(url)?.document.url ?? null;
}

async function readNotifications(resources: Resources, { wireUrl }: PageUrl): Promise<Explanation["notifications"]> {
  const ledger = await resources.ledger("read");
  const pages = HINT_KINDS.map((kind) => ({ wireUrl, kind }));
  return (await ledger.listHintsOf({ pages, since: 0 })).flatMap(({ kind, timestamp, receivedAt, state }) =>
    state === "waiting" || state === "entered" ? [{ kind, timestamp, receivedAt, state }] : [],
  );
}

/**
 * The rates of a page now, decided by the rules of its site even when the policy only indexes: for a later use of an indexed page.
 * @throws LicetError PAGE_URL_INVALID, USAGE_INVALID for a host that is not configured
 */
export async function explainUse(resources: Resources, rawUrl: string): Promise<Pick<Asked, "live" | "error">> {
  const page = parsePage(rawUrl);
  return askRates(resources, findSite(resources, page), page, { indexes: false });
}

/** @throws LicetError PAGE_URL_INVALID */
export function parsePage(rawUrl: string): PageUrl {
  const url = canonicalPageUrl(rawUrl);
  const parsed = url === null ? null : parsePageUrl(rawUrl, new URL(url).host);
  if (parsed === null || !parsed.ok) {
    throw new LicetError(
      "PAGE_URL_INVALID",
      `${JSON.stringify(rawUrl.slice(0, MAX_SHOWN_CHARS))} is not the URL of a page`,
      {
        hint: "give the full URL, such as https://news.example/2026/article",
      },
    );
  }
  return parsed.pageUrl;
}

/** @param before the beginning of the message, when there is no such site */
function findSite({ config }: Resources, page: PageUrl, before = ""): SiteConfig {
  const { host } = new URL(page.url);
  const site = config.sites.find((candidate) => candidate.host === host);
  if (site === undefined) {
    throw new LicetError("USAGE_INVALID", `${before}${host} is not a configured site`, {
      hint: 'add it under "sites"',
      details: { host },
    });
  }
  return site;
}

/** The rates of now, and what the rules decide about them. */
interface LiveRates extends PageExplanation {
  readonly listing: RateListing;
}

function toPrintedLive({ listing, findings, flawedRates, verdict }: LiveRates): NonNullable<Explanation["live"]> {
  const price = verdict.kind === "allowed" ? (verdict.rate?.price ?? null) : null;
  return {
    listing: toListedRates(listing),
    findings,
    flawedRates,
    verdict: toListedVerdict(verdict),
    ...toListedPrice(price),
  };
}

interface Asked {
  readonly record: Explanation["record"];
  readonly live: LiveRates | null;
  /** Why there are no rates. Null where there are. */
  readonly error: LicetError | null;
}

async function askRates(
  resources: Resources,
  site: SiteConfig,
  page: PageUrl,
  { indexes }: { readonly indexes: boolean },
): Promise<Asked> {
  const ledger = await resources.ledger("read");
  const record = await ledger.readPage(page.url);
  const lastMod = record?.lastMod ?? null;
  const now = resources.clock.now();
  const subject = { path: page.path, lastModAt: lastMod === null ? null : parseLastMod(lastMod) };
  const compiled = compilePolicy(site.policy);
  if (indexes) {
    const listing = { rates: [], unreadable: [] };
    return { record, live: { listing, ...explainIndexing(subject, compiled, now) }, error: null };
  }
  try {
    // A run would request the rates under the spelling in the ledger.
    const listing = await (await resources.gateway()).quotePage(record?.wireUrl ?? page.wireUrl);
    const explained = explainPage(subject, listing, compiled, {
      now,
      currencies: budgetedCurrencies(resources.config.budgets, site.host),
    });
    return { record, live: { listing, ...explained }, error: null };
  } catch (error) {
    assertLicetError(error);
    return { record, live: null, error };
  }
}

/** Of the budgets that cover a page of the site. */
async function readBalances(resources: Resources, site: SiteConfig): Promise<Explained["balances"]> {
  const now = resources.clock.now();
  const covering = resources.config.budgets.filter(
    (budget) => budgetBalanceKey(budget, { host: site.host, runId: "any", at: now }) !== null,
  );
  const ledger = await resources.ledger("read");
  return ledger.readBalances({ budgets: covering, hosts: [site.host], runId: null, now });
}
