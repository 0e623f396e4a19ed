/** The limits of a run as one site meets them, page by page in the order of its catalog. */
import type { Currency, Money } from "../money/money.ts";
import { createRunLimits, type LimitContext, type ReachedLimit, type RunLimits, type SpentBudget } from "./limits.ts";

export interface SiteLimits {
  take(cost: Money | null): ReturnType<RunLimits["take"]>;
  reached(): ReachedLimit | null;
  spent(): readonly SpentBudget[];
}

export interface SiteInCatalogOrder extends Omit<LimitContext, "readSite" | "passesOver"> {
  readonly host: string;
  /** null: no limit. */
  readonly sitePagesLeft: number | null;
  /** The currencies of which a budget of the site is used up already, with its label. */
  readonly exhausted: ReadonlyMap<Currency, string>;
}

export function createSiteLimits({ host, sitePagesLeft, exhausted, ...context }: SiteInCatalogOrder): SiteLimits {
  const limits = createRunLimits({
    ...context,
    readSite: () => ({ pagesLeft: sitePagesLeft, exhausted }),
    passesOver: false,
  });
  return {
    take: (cost) => limits.take(host, cost),
    reached: () => limits.reached(host),
    spent: () => limits.spent(host),
  };
}
