/** Each rule about what a gateway may do, held at every commit, with something that breaks it and nothing before it. */
import { expect } from "vitest";
import { type CheckedWorld, LIFE, SETTINGS, urlOf } from "./checked-world.ts";
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
  {
    rule: "flaw-is-listed",
    what: "a charge that could not be read and is booked without a word",
    at: "settle",
    damage: misread,
  },
  {
    rule: "flaw-is-listed",
    what: "a licence other than ordered, with an item that stops nothing",
    at: "settle",
    damage: (world) => {
      Object.assign(chargeOf(world), { isAsOrdered: false });
      world.tamper(LISTED.replace("site_id", "entry_id"));
    },
  },
  {
    rule: "lasting-stop-holds",
    what: "a page that is bought although its site is stopped for good",
    at: "settle",
    damage: async (world) => {
      misread(world);
      world.tamper(LISTED);
      expect(world.check()).toBeNull();
      await LIFE["start the last"](world);
    },
  },
  {
    rule: "pause-holds",
    what: "a page that is bought although somebody has paused its site",
    at: "settle",
    damage: async (world) => {
      world.tamper(`INSERT INTO act (id, kind, at, host) VALUES (90, 'site_paused', 1, 'news.example');
        INSERT INTO site_pause (site_id, act_id) VALUES (1, 90)`);
      expect(world.check()).toBeNull();
      await LIFE["start the last"](world);
    },
  },
];

const LISTED = `INSERT INTO open_item (kind, detail, url, purchase_id, site_id, at)
  VALUES ('charge_unreadable', '', '${urlOf(1)}', 1, 1, 1)`;

function chargeOf({ account }: CheckedWorld): object {
  return account.charges.find(({ url }) => url === urlOf(1)) ?? {};
}

function misread(world: CheckedWorld): void {
  Object.assign(chargeOf(world), { said: "what cannot be read" });
}
