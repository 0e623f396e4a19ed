/**
 * Which of the offers that pass a policy is bought. The order is total, so the same page always gives the same choice:
 * the gateway may list its rates in any order.
 */
import type { Currency } from "../money/money.ts";
import { LICENSE_TYPES } from "../rates/license.ts";
import type { Offer } from "../rates/offers.ts";
import type { Preference } from "./rule.ts";

export interface PassingOffer {
  readonly offer: Offer;
  /** The rule that let it pass. */
  readonly ruleIndex: number;
}

/**
 * Picks one. Amounts in different currencies are never compared: the currency that comes first among the budgets goes first.
 * @param currencies those with a budget, in the order of the budgets
 */
export function preferOffer(
  passing: readonly PassingOffer[],
  prefer: Preference,
  currencies: ReadonlySet<Currency>,
): PassingOffer | null {
  const [first, ...others] = passing;
  if (first === undefined || others.length === 0) {
    return first ?? null;
  }
  const order = [...currencies];
  const rank = ({ offer }: PassingOffer) => ({
    offer,
    currency: order.indexOf(offer.price.currency),
    permissiveness: permissiveness(offer),
  });
  type Ranked = ReturnType<typeof rank>;
  const byPrice = (a: Ranked, b: Ranked) => a.currency - b.currency || a.offer.price.micros - b.offer.price.micros;
  const byRights = (a: Ranked, b: Ranked) => b.permissiveness - a.permissiveness;
  const [before, after] = prefer === "cheapest" ? [byPrice, byRights] : [byRights, byPrice];
  const compare = (a: Ranked, b: Ranked) => before(a, b) || after(a, b) || compareLicenses(a.offer, b.offer);
  return others.reduce((best, next) => (compare(rank(next), rank(best)) < 0 ? next : best), first);
}

/**
 * Full use before partial use; without a duty to cite before with one; then the number of permissions. A standard licence has
 * the use its type names even where the gateway leaves the permissions out.
 */
function permissiveness({ license }: Offer): number {
  const permissions = license.permissions ?? [];
  const has = (name: string) => permissions.includes(name);
  const isFull = has("FULL_USE") || license.licenseType === "ON_DEMAND_FULL_USE_LICENSE";
  const isPartial = has("PARTIAL_USE") || license.licenseType === "ON_DEMAND_LICENSE";
  const use = isFull ? 2 : isPartial ? 1 : 0;
  const mustCite = has("CITATION_REQUIRED");
  const rights = permissions.length - (mustCite ? 1 : 0);
  return use * 1000 + (mustCite ? 0 : 500) + Math.min(rights, 499);
}

function compareLicenses(a: Offer, b: Offer): number {
  const byType = LICENSE_TYPES.indexOf(a.license.licenseType) - LICENSE_TYPES.indexOf(b.license.licenseType);
  return byType || compareText(a.license.cuid ?? "", b.license.cuid ?? "");
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
