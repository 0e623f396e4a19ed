/** Promise 2, by addresses: whatever the spelling, a page under a glob that a policy denies is not bought. */
import { isPrivate } from "../gateway/draw-traits.ts";
import type { ScenarioSite } from "../scenario.ts";
import type { Evidence, StepRule } from "./evidence.ts";
import { sitesInForce } from "./settings.ts";

/** The one glob that worlds deny, ahead of all that is allowed. */
export function isDeniedByAddress(url: string, { policy }: ScenarioSite): boolean {
  const first = policy.rules.findIndex(({ verdict, urls }) => verdict === "allow" || urls !== undefined);
  return policy.rules[first]?.verdict === "deny" && isPrivate(url);
}

export function createAddresses(evidence: Evidence): StepRule {
  return ({ purchases }) => {
    for (const { before, now } of purchases) {
      const sites = before === null ? sitesInForce(evidence, now.host) : [];
      if (sites.length > 0 && sites.every((site) => isDeniedByAddress(now.url, site))) {
        return { promise: 2, rule: "denied-by-address", detail: `purchase ${now.id} of ${now.url}, which is denied` };
      }
    }
    return null;
  };
}
