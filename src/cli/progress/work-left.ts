/**
 * How much of a run is left: the pages that are known, or what its limits still let it buy, whatever is less. A limit counts purchases, and not every
 * page is bought, so it is stretched by the share of the pages that were.
 */
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { type ProgressCounts, sumByCurrency } from "./progress-counts.ts";
import { openPages, type SiteProgress } from "./site-progress.ts";

type Amounts = ReadonlyMap<Currency, Micros>;

/** The most that may be spent, by currency. */
export interface SpendLimits {
  /** Of the whole run, also before it was resumed. */
  run(): Amounts;
  /** Of a site, since this process began. */
  site(host: string): Amounts;
}

/** In the unit of `done`. Null while it cannot be known. */
export function findWorkLeft(counts: ProgressCounts, spendLimits: SpendLimits): number | null {
  const { started, sites, bought, inDoubt, done, approved, spent, doubtful } = counts;
  // From the best down, all pages are quoted before the first one is bought: until then the pace says nothing of the purchases.
  if (started === null || (started.order !== "catalog" && approved === 0)) {
    return null;
  }
  const pagesFor = (purchases: number) => (bought === 0 ? Number.POSITIVE_INFINITY : (purchases * done) / bought);
  let known = 0;
  let open = 0;
  let isComplete = true;
  for (const [host, site] of sites) {
    const byPages = pagesLeft(started.limits.sites[host] ?? null, site.ended);
    const byMoney = purchasesFor(spendLimits.site(host), { spent: site.spent, used: site.spent, bought: site.bought });
    const byLimit = pagesFor(Math.min(byPages, byMoney));
    const knownOfSite = knownPages(site);
    known += Math.min(knownOfSite, byLimit);
    open += openPages(site);
    isComplete &&= site.isWalked || byLimit <= knownOfSite;
  }
  const byPages = pagesLeft(started.limits.maxPages, bought + inDoubt);
  const used = sumByCurrency(spent, doubtful);
  const byMoney = purchasesFor(spendLimits.run(), { spent, used, bought });
  const byLimit = pagesFor(Math.min(byPages, byMoney));
  // While a catalog is read, more pages may come. They do not matter when a limit ends the run before those that are known.
  return isComplete || byLimit <= known ? Math.max(open, Math.min(known, byLimit)) : null;
}

function knownPages(site: SiteProgress): number {
  return site.isStopped ? openPages(site) : Math.max(0, site.candidates - site.done);
}

function pagesLeft(most: number | null, used: number): number {
  return most === null ? Number.POSITIVE_INFINITY : Math.max(0, most - used);
}

/** How many purchases the money is enough for, at the average price so far. A run goes on while one of its currencies is left. */
function purchasesFor(
  limits: Amounts,
  { spent, used, bought }: { readonly spent: Amounts; readonly used: Amounts; readonly bought: number },
): number {
  const purchases = [...spent]
    .filter(([, micros]) => micros > 0)
    .map(([currency, micros]) => {
      const limit = limits.get(currency);
      const left = limit === undefined ? Number.POSITIVE_INFINITY : limit - (used.get(currency) ?? 0);
      return (Math.max(0, left) * bought) / micros;
    });
  return purchases.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...purchases);
}
