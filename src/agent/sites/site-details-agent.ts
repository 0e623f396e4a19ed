/** `agent.siteDetails`: one site, how old its content is, what it costs, and what its pages cost. */
import { budgetedCurrencies } from "../../budget/scope.ts";
import type { SiteConfig } from "../../config/config.ts";
import { LicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Money } from "../../money/money.ts";
import { type PriceStudy, studyPrices } from "../../policy/price-study.ts";
import { isBilled } from "../../usage/use.ts";
import { type Resources, withLedgerOrEmpty } from "../compose.ts";
import { chooseUsualDays, toDayRange } from "../reports/chosen-days.ts";
import { createSiteStatus, unknownSite } from "./sites-agent.ts";
import type { SiteDetails } from "./sites-report.ts";

/** Newest quoted pages whose prices are studied. */
const STUDIED_PAGES = 2_000;
const AGES_IN_DAYS = [1, 7, 30, 90, 365];
const DAY_MS = 86_400_000;

/** @throws LicetError USAGE_INVALID for a site that neither the configuration nor the ledger has, LEDGER_* */
export async function siteDetailsAgent(
  resources: Resources,
  site: string,
  { maxPrice }: { readonly maxPrice?: Money | undefined },
): Promise<SiteDetails> {
  const host = site.toLowerCase();
  const configured = resources.config.sites.find((candidate) => candidate.host === host);
  return withLedgerOrEmpty(resources, "read", async (ledger) => {
    const [known] = await ledger.readSites({ host, after: "", limit: 1 });
    if (known === undefined && configured === undefined) {
      throw new LicetError("USAGE_INVALID", `${host} is not a site of the configuration or of this ledger`, {
        hint: "`licet sites` lists the sites.",
      });
    }
    const now = resources.clock.now();
    const facts = known ?? unknownSite(host);
    const counts = await ledger.readAges({
      host,
      total: facts.stored,
      now,
      agesMs: AGES_IN_DAYS.map((days) => days * DAY_MS),
    });
    const range = toDayRange(chooseUsualDays({}, now));
    const { days } = await ledger.readDays({ ...range, host });
    return {
      site: (await createSiteStatus(resources, ledger))(facts),
      ages: counts.map((count, index) => ({ days: AGES_IN_DAYS[index] ?? null, ...count })),
      from: range.firstDay,
      to: range.lastDay,
      days,
      prices: configured === undefined ? null : await readPrices(resources, ledger, configured, maxPrice ?? null),
    };
  });
}

async function readPrices(
  { config }: Resources,
  ledger: Ledger,
  { host, policy, reporting }: SiteConfig,
  maxPrice: Money | null,
): Promise<PriceStudy | null> {
  const currencies = budgetedCurrencies(config.budgets, host);
  const currency = maxPrice?.currency ?? [...currencies][0];
  if (policy.intent === "indexing" || currency === undefined) {
    return null;
  }
  const { pages, listings } = await ledger.readQuoted({ host, limit: STUDIED_PAGES });
  const studied = pages.map(({ listing, ...page }) => ({
    ...page,
    listing: listings[listing] ?? { rates: [], unreadable: [] },
  }));
  const terms = { fee: config.gateway.fee, isFetchBilled: isBilled("fetch", reporting) };
  return studyPrices(studied, { ...terms, policy, currencies, currency, maxPrice });
}
