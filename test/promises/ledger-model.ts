/**
 * A small model of purchases and what counts against two budgets, and commands that drive it and a real ledger side by side. The
 * model knows states and sums and nothing of batches, leases, rows or transactions.
 */
import fc from "fast-check";
import { expect } from "vitest";
import type { Budget } from "../../src/budget/budget.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import type { PurchaseState } from "../../src/purchase/purchase.ts";
import { NOON } from "../doubles/ledger-shop.ts";
import {
  decideBatch,
  leaseMany,
  openAcquire,
  readTotal,
  start,
  toApproval,
  toBudget,
  toEntry,
  toRate,
  toSettlement,
  toSite,
  toSpec,
  walkPage,
} from "../doubles/ledger-steps.ts";

const HOSTS = ["a.example", "b.example"] as const;
const PATHS = ["/1", "/2", "/3"] as const;
const BUDGETS: readonly Budget[] = [toBudget(100), toBudget(60, { scope: { kind: "site", host: HOSTS[0] } })];
/** As `audit` takes them. */
export const LIMITS = BUDGETS.map(({ scope, currency, limitMicros }) => ({
  key: { scope: scope.kind === "site" ? `site:${scope.host}` : "all", period: "total" },
  currency,
  limitMicros,
  label: scope.kind,
}));

interface ModelPurchase {
  readonly id: number;
  readonly leaseId: string;
  readonly url: string;
  readonly host: string;
  readonly quoted: number;
  readonly fee: number;
  readonly useReserve: number;
  state: PurchaseState;
  /** Charge and fee. */
  spent: number;
  hasContent: boolean;
  /** Content cannot come for what was never sent. */
  wasSent: boolean;
}

interface Model {
  readonly purchases: ModelPurchase[];
  /** A charge above the quote or content after a refusal came: these may pass a limit (promise 1). */
  excused: boolean;
  /** Hosts that charged above a quote: nothing is bought from them any more. */
  readonly stopped: Set<string>;
  runs: number;
}

interface World {
  readonly ledger: Ledger;
  readonly model: Model;
}

type Step = fc.AsyncCommand<Model, World, boolean>;

export function createWorld(ledger: Ledger): World {
  return { ledger, model: { purchases: [], excused: false, stopped: new Set(), runs: 0 } };
}

/** What counts, by the model: on one host, or (null) on all. */
function sum({ purchases }: Model, host: string | null) {
  const counted = { spentMicros: 0, inDoubtMicros: 0, reservedMicros: 0 };
  for (const { host: own, state, quoted, fee, useReserve, spent, hasContent } of purchases) {
    if (host !== null && own !== host) {
      continue;
    }
    if (state === "reserved" || state === "started") {
      counted.reservedMicros += quoted + fee + useReserve;
    } else if (state === "in_doubt") {
      counted.inDoubtMicros += quoted + fee + useReserve;
    } else if (state === "settled") {
      counted.spentMicros += spent;
      counted.reservedMicros += hasContent ? useReserve : 0;
    }
  }
  return counted;
}

async function check({ ledger, model }: World): Promise<void> {
  expect(await readTotal(ledger)).toEqual(sum(model, null));
  for (const host of HOSTS) {
    expect(await readTotal(ledger, "USD", `site:${host}`)).toEqual(sum(model, host));
  }
  if (!model.excused) {
    for (const { scope, limitMicros } of BUDGETS) {
      const { spentMicros, inDoubtMicros, reservedMicros } = sum(model, scope.kind === "site" ? scope.host : null);
      expect(spentMicros + inDoubtMicros + reservedMicros).toBeLessThanOrEqual(limitMicros);
    }
  }
}

/** Whether an amount fits, and no more. */
function fits(model: Model, host: string, amount: number): boolean {
  return BUDGETS.every(({ scope, limitMicros }) => {
    if (scope.kind === "site" && scope.host !== host) {
      return true;
    }
    const { spentMicros, inDoubtMicros, reservedMicros } = sum(model, scope.kind === "site" ? host : null);
    return spentMicros + inDoubtMicros + reservedMicros + amount <= limitMicros;
  });
}

class Reserve implements Step {
  readonly #page: { readonly host: string; readonly path: string };
  readonly #price: { readonly quoted: number; readonly fee: number; readonly billed: boolean };
  readonly #rebuys: boolean;

  constructor(
    page: { readonly host: string; readonly path: string },
    price: { readonly quoted: number; readonly fee: number; readonly billed: boolean },
    rebuys: boolean,
  ) {
    this.#page = page;
    this.#price = price;
    this.#rebuys = rebuys;
  }

  async check(): Promise<boolean> {
    return true;
  }

  async run(model: Model, world: World): Promise<void> {
    const { host, path } = this.#page;
    const { quoted, fee, billed } = this.#price;
    const useReserve = billed ? quoted : 0;
    const url = `https://${host}${path}`;
    const runId = `run_${model.runs++}`;
    const states = model.purchases.filter((purchase) => purchase.url === url).map(({ state }) => state);
    const isOpen = states.includes("reserved") || states.includes("started");
    const isInDoubt = states.includes("in_doubt") && !this.#rebuys;
    const expected = isOpen
      ? "already_open"
      : isInDoubt
        ? "in_doubt"
        : fits(model, host, quoted + fee + useReserve)
          ? null
          : "budget_exhausted";

    const { ledger } = world;
    await ledger.createRun(toSpec({ runId, sites: [toSite({ host })] }));
    if (model.stopped.has(host)) {
      expect(await leaseMany(ledger, { runId })).toEqual([]);
      await check(world);
      return;
    }
    await walkPage(ledger, { runId, entries: [toEntry(path, {}, host)], refresh: { when: "always", maxAgeMs: null } });
    const decided = await decideBatch(ledger, {
      runId,
      budgets: BUDGETS,
      inDoubt: this.#rebuys ? "rebuy" : "hold",
      refresh: { when: "always", maxAgeMs: null },
      decisions: ([pageId = 0]) => [
        toApproval(pageId, toRate(quoted), { feeMicros: fee, useReserveMicros: useReserve }),
      ],
    });
    expect(decided).toMatchObject(
      expected === null ? { approved: 1, denied: {} } : { approved: 0, denied: { [expected]: 1 } },
    );
    if (expected === null) {
      const { leaseId, purchases } = await openAcquire(ledger, { runId });
      const id = purchases[0]?.purchaseId ?? 0;
      model.purchases.push({
        id,
        leaseId,
        url,
        host,
        quoted,
        fee,
        useReserve,
        state: "reserved",
        spent: 0,
        hasContent: false,
        wasSent: false,
      });
    }
    await check(world);
  }

  toString(): string {
    return `reserve ${JSON.stringify([this.#page, this.#price, this.#rebuys])}`;
  }
}

/** A command on one of the purchases there are. */
class OnPurchase implements Step {
  readonly #name: string;
  readonly #pick: number;
  readonly #work: (purchase: ModelPurchase, model: Model, ledger: Ledger) => Promise<void>;

  constructor(
    name: string,
    pick: number,
    work: (purchase: ModelPurchase, model: Model, ledger: Ledger) => Promise<void>,
  ) {
    this.#name = name;
    this.#pick = pick;
    this.#work = work;
  }

  async check(model: Model): Promise<boolean> {
    return model.purchases.length > 0;
  }

  async run(model: Model, world: World): Promise<void> {
    const purchase = model.purchases[this.#pick % model.purchases.length] as ModelPurchase;
    await this.#work(purchase, model, world.ledger);
    await check(world);
  }

  toString(): string {
    return `${this.#name} #${this.#pick}`;
  }
}

function startIt(pick: number): Step {
  return new OnPurchase("start", pick, async (purchase, _, ledger) => {
    expect(await start(ledger, purchase.leaseId, purchase.id)).toBe(purchase.state === "reserved");
    if (purchase.state === "reserved") {
      purchase.state = "started";
      purchase.wasSent = true;
    }
  });
}

/** @param discount what the charge differs from the quote by; negative is an overcharge */
function settleIt(pick: number, discount: number): Step {
  return new OnPurchase(`settle (discount ${discount})`, pick, async (purchase, model, ledger) => {
    if (!purchase.wasSent) {
      return;
    }
    const charged = Math.max(0, purchase.quoted - discount);
    const settlement = { charge: { micros: toMicros(charged), currency: "USD" }, feeMicros: toMicros(purchase.fee) };
    const settled = await ledger.settlePurchase(toSettlement(purchase.id, settlement));
    expect(settled.outcome).toBe(purchase.hasContent ? "repeated" : "settled");
    const stops = !purchase.hasContent && charged > purchase.quoted;
    expect(settled.stopped?.stop ?? null).toBe(stops ? "overcharged" : null);
    if (stops) {
      model.stopped.add(purchase.host);
      for (const other of model.purchases.filter(({ host, state }) => host === purchase.host && state === "reserved")) {
        other.state = "released";
      }
    }
    model.excused ||= purchase.state === "released" || charged > purchase.quoted;
    // Resolved by hand as charged: what was booked stays.
    if (purchase.state !== "settled") {
      purchase.spent = charged + purchase.fee;
      purchase.state = "settled";
    } else if (!purchase.hasContent) {
      model.excused = true;
    }
    purchase.hasContent = true;
  });
}

function releaseIt(pick: number): Step {
  return new OnPurchase("release", pick, async (purchase, _, ledger) => {
    const isOpen = purchase.state === "reserved" || purchase.state === "started";
    const released = await ledger.releasePurchase({
      purchaseId: purchase.id,
      reason: "content_refused",
      detail: "404",
      now: NOON,
    });
    expect(released).toBe(isOpen);
    purchase.state = isOpen ? "released" : purchase.state;
  });
}

function doubtIt(pick: number): Step {
  return new OnPurchase("send and hold in doubt", pick, async (purchase, _, ledger) => {
    if (purchase.state === "reserved") {
      expect(await start(ledger, purchase.leaseId, purchase.id)).toBe(true);
      purchase.state = "started";
      purchase.wasSent = true;
    }
    const held = await ledger.holdInDoubt({ purchaseId: purchase.id, reason: "token_spent", detail: "401", now: NOON });
    expect(held).toBe(purchase.state === "started");
    purchase.state = held ? "in_doubt" : purchase.state;
  });
}

function resolveIt(pick: number, charged: boolean): Step {
  return new OnPurchase(`resolve (charged ${charged})`, pick, async (purchase, _, ledger) => {
    const resolution = { purchaseId: purchase.id, charged, now: NOON };
    if (purchase.state !== "in_doubt") {
      await expect(ledger.resolvePurchase(resolution)).rejects.toMatchObject({ code: "PURCHASE_NOT_IN_DOUBT" });
      return;
    }
    await ledger.resolvePurchase(resolution);
    purchase.state = charged ? "settled" : "released";
    purchase.spent = charged ? purchase.quoted + purchase.fee : 0;
  });
}

export function createModelCommands() {
  const pick = fc.nat(6);
  const price = fc.record({
    quoted: fc.constantFrom(0, 10, 20, 21, 30, 40),
    fee: fc.constantFrom(0, 1),
    billed: fc.boolean(),
  });
  const page = fc.record({ host: fc.constantFrom(...HOSTS), path: fc.constantFrom(...PATHS) });
  return fc.commands(
    [
      fc.tuple(page, price, fc.boolean()).map((args) => new Reserve(...args)),
      fc.tuple(page, price, fc.boolean()).map((args) => new Reserve(...args)),
      pick.map(startIt),
      pick.map(startIt),
      fc.tuple(pick, fc.integer({ min: -2, max: 5 })).map(([n, discount]) => settleIt(n, discount)),
      pick.map((n) => settleIt(n, 0)),
      pick.map(releaseIt),
      pick.map(doubtIt),
      fc.tuple(pick, fc.boolean()).map(([n, charged]) => resolveIt(n, charged)),
    ] as fc.Arbitrary<Step>[],
    // By default fast-check would try a handful of commands.
    { maxCommands: 40, size: "max" },
  );
}
