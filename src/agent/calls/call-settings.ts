/** Checks what a call asks for against the configuration: its sites and the currency of its largest spend. */
import type { Config, SiteConfig } from "../../config/config.ts";
import { LicetError } from "../../errors.ts";
import type { Money } from "../../money/money.ts";

/**
 * Refuses a largest spend in a currency without a budget, because nothing is bought without a budget.
 * @throws LicetError USAGE_INVALID
 */
export function checkSpendCurrency({ budgets }: Config, maxSpend: Money | null): void {
  if (maxSpend !== null && !budgets.some(({ currency }) => currency === maxSpend.currency)) {
    const known = [...new Set(budgets.map(({ currency }) => currency))];
    throw new LicetError("USAGE_INVALID", `no budget is in ${maxSpend.currency}, so nothing can be bought for it`, {
      hint:
        known.length === 0
          ? `add a budget in ${maxSpend.currency} under "budgets"`
          : `name the largest spend in ${known.join(" or ")}, or add a budget in ${maxSpend.currency}`,
      details: { currency: maxSpend.currency },
    });
  }
}

/** @throws LicetError USAGE_INVALID for a host that is not configured */
export function chooseSites(config: Config, hosts: readonly string[] | undefined): readonly SiteConfig[] {
  if (hosts === undefined || hosts.length === 0) {
    return config.sites;
  }
  return [...new Set(hosts)].map((host) => {
    const site = config.sites.find((candidate) => candidate.host === host.toLowerCase());
    if (site === undefined) {
      throw new LicetError("USAGE_INVALID", `${host} is not a configured site`, {
        hint:
          config.sites.length === 0
            ? 'add it under "sites"'
            : `configured are: ${config.sites.map((known) => known.host).join(", ")}`,
      });
    }
    return site;
  });
}
