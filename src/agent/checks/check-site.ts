/**
 * A site in `agent.check`: whether its catalog can be read, whether its offers have a budget, and whether the gateway grants a token. Nothing of it
 * costs money: a token that is not used expires.
 */
import { budgetedCurrencies } from "../../budget/scope.ts";
import { canonicalPageUrl } from "../../catalog/page-url.ts";
import type { Config, SiteConfig } from "../../config/config.ts";
import { assertLicetError } from "../../errors.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Currency } from "../../money/money.ts";
import { decidePage } from "../../policy/decide-page.ts";
import { compilePolicy } from "../../policy/match-rule.ts";
import { isLicenseType } from "../../rates/license.ts";
import { isOffer } from "../../rates/offers.ts";
import type { Rate, RateListing } from "../../rates/rate.ts";
import { type CheckFinding, failed, passed, warned } from "./check-report.ts";

/** So many pages of the catalog are looked at: the first of them may have no offer. */
const PAGES = 5;
const AGENT_HINT =
  "Check gateway.agentId and gateway.userAgent: the gateway must know the AgentID, and the user agent must contain it";

interface Asked {
  readonly gateway: Gateway;
  readonly config: Config;
  readonly site: SiteConfig;
  readonly now: number;
}

/** @throws LicetError GATEWAY_* when the catalog or the rates cannot be read */
export async function checkSite(asked: Asked): Promise<readonly CheckFinding[]> {
  const { gateway, site } = asked;
  const { host } = site;
  const name = `gateway: ${host}`;
  const { entries } = await gateway.listCatalog({ host, pageToken: null, pageSize: PAGES });
  const urls = entries
    .map(({ pageUrl }) => pageUrl)
    .filter((url) => URL.parse(canonicalPageUrl(url) ?? "")?.host === host);
  const readable = passed(name, `catalog can be read (${urls.length === 0 ? "no page" : "at least one page"})`);
  const [url] = urls;
  if (url === undefined) {
    return [readable];
  }
  if (site.policy.intent === "indexing") {
    return [readable, await checkToken(host, () => gateway.issueIndexingToken(url))];
  }
  return [readable, ...(await checkOffers(asked, await gateway.quoteBatch(urls)))];
}

/** What the policy says of the first pages, and a token for the first one that it allows. */
async function checkOffers(
  { gateway, config, site, now }: Asked,
  listings: ReadonlyMap<string, RateListing>,
): Promise<readonly CheckFinding[]> {
  const { host } = site;
  const compiled = compilePolicy(site.policy);
  const currencies = budgetedCurrencies(config.budgets, host);
  const judged = [...listings].map(([url, listing]) => {
    const page = { path: new URL(url).pathname, lastModAt: null };
    return { url, listing, verdict: decidePage(page, listing, compiled, { now, currencies }) };
  });
  const allowed = judged.find(({ verdict }) => verdict.kind === "allowed");
  if (allowed !== undefined && allowed.verdict.kind === "allowed" && allowed.verdict.rate !== null) {
    const { license, price } = allowed.verdict.rate;
    const licenseType = license.licenseType;
    if (isLicenseType(licenseType)) {
      const format = site.policy.format === "markdown" ? "markdown" : "html";
      const order = { url: allowed.url, maxPrice: price, licenseType, licenseCuid: license.cuid, format } as const;
      return [await checkToken(host, () => gateway.issueContentToken(order))];
    }
  }
  const unbudgeted = judged.filter(
    ({ verdict }) => verdict.kind === "denied" && verdict.reason === "no_budget_in_currency",
  );
  if (unbudgeted.length > 0) {
    const offered = new Set(
      unbudgeted.flatMap(({ listing }) => listing.rates.filter((rate) => isOffer(rate, now)).map(currencyOf)),
    );
    return [warnOfCurrency(host, [...offered])];
  }
  return [passed(`token: ${host}`, "only a purchase will tell: the policy allows none of the first pages")];
}

function currencyOf({ price }: Rate): Currency {
  return price.currency;
}

function warnOfCurrency(host: string, offered: readonly Currency[]): CheckFinding {
  const names = offered.join(", ");
  return warned(
    `budgets: ${host}`,
    `its pages are offered in ${names}, and no budget is in this currency: nothing is bought`,
    {
      code: "no_budget_in_currency",
      hint: `add a budget, such as { scope: "site:${host}", per: month, limit: 100 ${offered[0] ?? "USD"} }, or deny the currency by a rule`,
    },
  );
}

async function checkToken(host: string, issue: () => Promise<unknown>): Promise<CheckFinding> {
  const name = `token: ${host}`;
  try {
    await issue();
    return passed(name, "the gateway grants one; it is not used, and costs nothing");
  } catch (error) {
    assertLicetError(error);
    return failed(name, error.message, { hint: `${AGENT_HINT}. ${error.hint ?? ""}`.trim(), code: error.code });
  }
}
