/** Each rule about what a gateway may do, held at every commit, with something that breaks it and nothing before it. */
import { SETTINGS } from "./checked-world.ts";
import type { StepBreak } from "./step-breaks.ts";

export const GATEWAY_BREAKS: readonly StepBreak[] = [
  {
    rule: "denied-by-address",
    what: "a page under a glob that its policy denies, in another spelling",
    at: "reserve",
    damage: ({ evidence, tamper }) => {
      const deny = { verdict: "deny" as const, license: null, maxPrice: null, permission: null, urls: ["/private/**"] };
      const sites = SETTINGS.sites.map((site) => ({
        ...site,
        policy: { ...site.policy, rules: [deny, ...site.policy.rules] },
      }));
      evidence.settings = evidence.settings.map((set) => ({ ...set, sites }));
      tamper("UPDATE purchase SET rule_index = rule_index + 1");
      const url = "https://news.example//private/1";
      evidence.account = {
        ...evidence.account,
        rates: new Map([[url, [...evidence.account.rates.values()][0] ?? []]]),
      };
      tamper(`UPDATE page SET url = '${url}'  WHERE id = 1; DELETE FROM purchase WHERE id > 1`);
    },
  },
  {
    rule: "given-up-after-silence",
    what: "a report given up that certainly never arrived",
    at: "freeze",
    after: "checked",
    damage: ({ evidence, tamper }) => {
      evidence.unknownSince = () => null;
      tamper("UPDATE usage_batch SET state = 'needs_reconcile', closed_at = 1");
    },
  },
  {
    rule: "given-up-after-silence",
    what: "a report given up before its window is over",
    at: "freeze",
    after: "checked",
    damage: "UPDATE usage_batch SET state = 'needs_reconcile', closed_at = 1",
  },
];
