/**
 * Picks the offer to buy among the offers that a policy accepts. The order is total: the same page always gives the same choice,
 * whatever the order of the gateway's rates.
 */
import type { Currency } from "../money/money.ts";
import { LICENSE_TYPES } from "../rates/license.ts";
import type { Offer } from "../rates/offers.ts";
import type { Preference } from "./rule.ts";
import type { Verdict } from "./verdict.ts";

/** An offer that a rule accepted: the verdict on its page, if it is preferred to the others. */
export type PassingOffer = Extract<Verdict, { kind: "allowed" }> & { readonly rate: Offer };

/**
 * Picks one offer. Amounts in different currencies are never compared: the currency that comes first among the budgets wins.
 * @param currencies the currencies with a budget, in the order of the budgets
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
  const rank = ({ rate: offer }: PassingOffer) => ({
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
 * Ranks offers: full use before partial use, no duty to cite before a duty to cite, then by the number of permissions. A standard
 * license includes the use in its type's name, even when the gateway lists no permissions.
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
