/** Each rule about incremental walks, with something that breaks it after the last commit. */
import { NOON } from "../../doubles/ledger-shop.ts";
import { type CheckedWorld, END, urlOf } from "./checked-world.ts";
import type { EndBreak } from "./end-breaks.ts";

const DAY_MS = 86_400_000;

/** The first run walked everything, the last one down to a mark. */
const SHORTENED = `
  UPDATE run_site SET walk_ended = 'complete', walk_stop_below_at = NULL WHERE run_id = 1;
  UPDATE run_site SET walk_ended = 'complete', walk_stop_below_at = ${NOON} WHERE run_id = 3`;

function shortenWalks({ evidence }: CheckedWorld): void {
  const walk = { fullEveryMs: 7 * DAY_MS, overlapMs: 0 };
  evidence.settings = evidence.settings.map((set) => ({
    ...set,
    from: NOON - 1,
    sites: set.sites.map((site) => ({ ...site, refresh: "modified" as const, walk })),
  }));
}

export const WALK_BREAKS: readonly EndBreak[] = [
  {
    rule: "allowed-page-is-stored",
    what: "a page below the mark that the last full walk had to look at",
    sql: SHORTENED,
    damage: (world) => {
      const { account, evidence } = world;
      shortenWalks(world);
      account.rates = new Map([...account.rates, [urlOf(5), account.rates.get(urlOf(1)) ?? []]]);
      evidence.runStarts = new Map([["run_1", NOON]]);
    },
    end: { ...END, catalog: [...END.catalog, { url: urlOf(5), lastMod: "2026-01-01T00:00:00Z" }] },
  },
  {
    rule: "full-walk-is-due",
    what: "a walk shortened for longer than the configuration says",
    sql: SHORTENED,
    damage: (world) => {
      shortenWalks(world);
      world.evidence.runStarts = new Map([
        ["run_1", NOON],
        ["run_3", NOON + 9 * DAY_MS],
      ]);
    },
  },
];
