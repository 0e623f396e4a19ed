import { readdirSync, readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { NOON } from "../../doubles/ledger-shop.ts";
import { spellOutUses } from "../../doubles/spelled-out.ts";
import { tamper } from "../../doubles/temp-ledger.ts";
import {
  type CheckedWorld,
  END,
  LIFE,
  limited,
  liveUntil,
  openCheckedWorld,
  SETTINGS,
  urlOf,
} from "./checked-world.ts";
import { END_BREAKS, type EndBreak } from "./end-breaks.ts";
import { checkEnd } from "./evidence.ts";
import { GATEWAY_BREAKS } from "./gateway-breaks.ts";
import { NOTIFICATION_BREAKS, NOTIFICATION_END_BREAKS } from "./notification-breaks.ts";
import { OUTSIDE_BREAKS } from "./outside-breaks.ts";
import { SETTINGS_BREAKS } from "./settings-breaks.ts";
import { STEP_BREAKS } from "./step-breaks.ts";
import { WALK_BREAKS } from "./walk-breaks.ts";

const ALL_END_BREAKS: readonly EndBreak[] = [
  ...END_BREAKS,
  ...OUTSIDE_BREAKS,
  ...WALK_BREAKS,
  ...NOTIFICATION_END_BREAKS,
];
const ALL_STEP_BREAKS = [...STEP_BREAKS, ...SETTINGS_BREAKS, ...GATEWAY_BREAKS, ...NOTIFICATION_BREAKS];

async function applyDamage(world: CheckedWorld, damage: string | ((world: CheckedWorld) => unknown)): Promise<void> {
  if (typeof damage === "string") {
    world.tamper(damage);
  } else {
    await damage(world);
  }
}

/** Damages account and file for the time of one look at them. */
function withDamage<Result>(
  world: CheckedWorld,
  { damage, sql = "" }: Pick<EndBreak, "damage" | "sql">,
  look: () => Result,
): Result {
  const { evidence, account } = world;
  const [evidenceBefore, accountBefore] = [{ ...evidence }, structuredClone(account)];
  const db = new Database(world.path);
  db.pragma("foreign_keys = OFF");
  db.exec("BEGIN");
  try {
    tamper(db, sql);
    if (typeof damage === "string") {
      tamper(db, damage);
    } else {
      damage(world);
    }
    spellOutUses(db);
    evidence.db = db;
    return look();
  } finally {
    db.close();
    Object.assign(evidence, evidenceBefore);
    Object.assign(account, accountBefore);
  }
}

describe("the checkers", () => {
  it("find nothing in a correct run, at any step and at its end", async () => {
    const world = await openCheckedWorld();
    await liveUntil(world, "end");
    expect(world.check()).toBeNull();
    expect(checkEnd(world.evidence, END)).toEqual([]);
    expect(world.account.charges).toHaveLength(4);
    expect(Object.keys(LIFE)).toHaveLength(27);
  });

  it.each(ALL_STEP_BREAKS)("$rule: find $what", async ({ rule, at, without, after, damage }) => {
    const world = await openCheckedWorld();
    await liveUntil(world, at, without);
    if (after === "checked") {
      expect(world.check()).toBeNull();
    }
    await applyDamage(world, damage);
    expect(world.check()).toMatchObject({ rule });
  });

  it("have no rule that no test breaks", () => {
    const directory = new URL(".", import.meta.url);
    const sources = readdirSync(directory).filter((file) => !/test|-breaks|-world/.test(file));
    const texts = sources.map((file) => readFileSync(new URL(file, directory), "utf8"));
    const named = texts.flatMap((text) => [
      ...text.matchAll(/(?:\b(?:broken|missing)\(|\[|rule: )\s*"([a-z]+(?:-[a-z]+)+)"/g),
    ]);
    const broken = [...ALL_STEP_BREAKS, ...ALL_END_BREAKS].map(({ rule }) => rule);
    expect([...new Set(named.map(([, rule]) => rule))].sort()).toEqual([...new Set(broken)].sort());
  });

  it("find each wrong thing at the end, each by its own rule", async () => {
    const world = await openCheckedWorld();
    await liveUntil(world, "end");
    expect(world.check()).toBeNull();
    const found = ALL_END_BREAKS.map(({ what, end, ...how }) => {
      const rules = withDamage(world, how, () => checkEnd(world.evidence, { ...END, ...end }).map(({ rule }) => rule));
      return { what, rules };
    });
    expect(found).toEqual(
      ALL_END_BREAKS.map(({ what, rule }) => ({ what, rules: expect.arrayContaining([rule]) as unknown })),
    );
    expect(checkEnd(world.evidence, END)).toEqual([]);
  });
});

describe("what the checkers accept", () => {
  it("a budget that is full to the micro", async () => {
    const world = await openCheckedWorld();
    world.evidence.settings = [limited(40_000)];
    await liveUntil(world, "reserve");
    expect(world.check()).toBeNull();
  });

  it("a purchase under the budgets before a change, while a process with them may be alive, and not after", async () => {
    for (const over of [false, true]) {
      const world = await openCheckedWorld();
      world.evidence.settings = [{ ...SETTINGS, from: NOON, over }, limited(1)];
      await liveUntil(world, "reserve");
      expect(world.check()?.rule ?? null).toBe(over ? "fits-every-budget" : null);
    }
  });

  it("an open run at the end, where nobody resumed it", async () => {
    const world = await openCheckedWorld();
    await liveUntil(world, "end");
    world.check();
    world.tamper("UPDATE run SET state = 'interrupted' WHERE name = 'run_1'");
    expect(checkEnd(world.evidence, { ...END, interruptedAllowed: true })).toEqual([]);
  });

  it("a page that is missing where a budget is exhausted, and not where it had headroom", async () => {
    for (const [limitMicros, rules] of [
      [59_999 + 40_000, []],
      [60_000 + 40_000 + 40_000, ["allowed-page-is-stored"]],
    ] as const) {
      const world = await openCheckedWorld();
      world.evidence.settings.push(limited(limitMicros));
      await liveUntil(world, "end");
      world.check();
      world.account.rates = new Map([...world.account.rates, [urlOf(5), world.account.rates.get(urlOf(1)) ?? []]]);
      world.tamper("UPDATE run_site SET stop = 'budget_exhausted' WHERE run_id = 3");
      const end = { ...END, catalog: [...END.catalog, { url: urlOf(5), lastMod: null }] };
      expect(checkEnd(world.evidence, end).map(({ rule }) => rule)).toEqual(rules);
    }
  });
});
