/** Each rule about what the configuration in force allows, with something that breaks it and nothing before it. */
import { NOON } from "../../doubles/ledger-shop.ts";
import { SETTINGS } from "./checked-world.ts";
import type { StepBreak } from "./step-breaks.ts";

export const SETTINGS_BREAKS: readonly StepBreak[] = [
  {
    rule: "site-is-configured",
    what: "a purchase on a site that was removed",
    at: "reserve",
    damage: ({ evidence }) => {
      const sites = SETTINGS.sites.filter(({ policy }) => policy.intent === "indexing");
      evidence.settings = [{ ...SETTINGS, sites, from: NOON }];
    },
  },
  {
    rule: "is-the-policys-choice",
    what: "a purchase under a policy that was replaced",
    at: "reserve",
    damage: ({ evidence }) => {
      const denyAll = { verdict: "deny" as const, license: null, maxPrice: null, permission: null };
      const sites = SETTINGS.sites.map((site) => ({ ...site, policy: { ...site.policy, rules: [denyAll] } }));
      evidence.settings = [
        { ...SETTINGS, from: NOON, over: true },
        { ...SETTINGS, sites, from: NOON },
      ];
    },
  },
  {
    rule: "resuming-decides-anew",
    what: "a purchase started as it was reserved before a death",
    at: "start",
    damage: ({ evidence }) => {
      evidence.generation = 1;
    },
  },
  {
    rule: "fits-max-pages-of-its-site",
    what: "a site's maxPages smaller by one page",
    at: "reserve",
    damage: ({ evidence }) => {
      const sites = SETTINGS.sites.map((site) => ({ ...site, maxPages: 3 }));
      evidence.settings = [{ ...SETTINGS, sites, from: NOON }];
    },
  },
  {
    rule: "fits-max-pages",
    what: "a page more than a person said when the run was resumed",
    at: "reserve",
    damage: ({ evidence }) => {
      evidence.runLimits = new Map([["run_1", [{ maxPages: 3, maxSpend: null }]]]);
    },
  },
  {
    rule: "fits-max-spend",
    what: "a micro more than a person said when the run was resumed",
    at: "reserve",
    damage: ({ evidence }) => {
      const maxSpend = { micros: 39_999, currency: "USD" };
      evidence.runLimits = new Map([["run_1", [{ maxPages: null, maxSpend }]]]);
    },
  },
  {
    rule: "fee-is-set-aside",
    what: "a fee larger by one micro",
    at: "reserve",
    damage: "UPDATE purchase SET fee_micros = 1 WHERE id = 1",
  },
];
