/** A small world, step by step: the real ledger, a gateway's account kept by hand, and the checkers. */
import { onTestFinished } from "vitest";
import type { OpenPurchase } from "../../../src/ledger/purchase-ledger.ts";
import { toMicros } from "../../../src/money/micros.ts";
import { createContent, NOON, ON_DEMAND, reservePages, type Shopping } from "../../doubles/ledger-shop.ts";
import { openSpelledOut } from "../../doubles/spelled-out.ts";
import { openTempLedger, type TempLedger } from "../../doubles/temp-ledger.ts";
import { createUse, freeze, leaseFlusher, recordUses, settle } from "../../doubles/usage-outbox-driver.ts";
import type { GatewayAccount, RateChange } from "../gateway/account.ts";
import { HONEST } from "../gateway/traits.ts";
import type { ScenarioPolicy, Settings } from "../scenario.ts";
import { createStepChecker, type EndState, type Evidence, type SettingSet, type Violation } from "./evidence.ts";

type Mutable<Account> = {
  -readonly [Name in keyof Account]: Account[Name] extends readonly (infer Item)[] ? Item[] : Account[Name];
};

const HOST = "news.example";
const INDEXED_HOST = "index.example";
const PRICE_MICROS = 10_000;
export const urlOf = (page: number) => `https://${HOST}/${page}`;

export interface CheckedWorld extends TempLedger {
  readonly account: Mutable<GatewayAccount>;
  readonly evidence: Mutable<Evidence>;
  readonly purchases: Map<number, OpenPurchase>;
  leaseId: string;
  fence: number;
  check(): Violation | null;
}

export async function openCheckedWorld(): Promise<CheckedWorld> {
  const temp = await openTempLedger();
  const db = openSpelledOut(temp.path);
  onTestFinished(() => void db.close());
  const account: Mutable<GatewayAccount> = {
    traits: HONEST,
    tokens: [],
    charges: [],
    reports: [],
    contentRequests: [],
    rates: new Map([1, 2, 3, 4].map((page) => [urlOf(page), [LISTING]])),
    protests: [],
  };
  const evidence: Mutable<Evidence> = {
    db,
    account,
    settings: [{ ...SETTINGS, from: NOON }],
    operations: [],
    overchargedUrls: new Set(),
    otherLicenseUrls: new Set(),
    refusedReports: new Set(),
    unknownSince: () => NOON,
    notices: [],
    now: NOON,
  };
  return Object.assign(Object.create(temp) as TempLedger, {
    account,
    evidence,
    purchases: new Map<number, OpenPurchase>(),
    leaseId: "",
    fence: 0,
    check: createStepChecker(evidence),
  });
}

/** At its end: 1 and 4 bought, 2 in doubt, resolved and bought again, 3 refused, one indexed elsewhere; one later use; all reported. */
export const LIFE = {
  reserve: (world) => reserve(world, { runId: "run_1", pages: [1, 2, 3, 4] }),
  start: (world) => Promise.all([1, 2, 3].map((id) => start(world, id))),
  charge: (world) => [1, 2].map((id) => charge(world, id)),
  settle: (world) => keep(world, 1),
  doubt: ({ ledger }) => ledger.holdInDoubt({ purchaseId: 2, reason: "token_spent", detail: "no answer", now: NOON }),
  release: ({ ledger }) =>
    ledger.releasePurchase({ purchaseId: 3, reason: "content_refused", detail: "403", now: NOON }),
  "start the last": (world) => start(world, 4),
  "charge the last": (world) => charge(world, 4),
  "settle the last": (world) => keep(world, 4),
  use: async ({ ledger, evidence }) => {
    evidence.operations = [...evidence.operations, { kind: "use", url: urlOf(1), times: 2, at: NOON, recorded: true }];
    await recordUses(ledger, [createUse("/1", { times: 2 })]);
  },
  freeze: async (world) => {
    world.fence = await leaseFlusher(world.ledger);
    await freeze(world.ledger, world.fence, { idempotencyId: "report-1" });
  },
  deliver: (world) => deliver(world, "report-1"),
  answer: (world) => answer(world),
  resolve: async ({ ledger, evidence }) => {
    evidence.operations = [...evidence.operations, { kind: "resolve", purchaseId: 2, charged: true, at: NOON }];
    await ledger.resolvePurchase({ purchaseId: 2, charged: true, now: NOON });
  },
  "end the run": ({ ledger }) => ledger.endRun({ runId: "run_1", state: "completed", reason: null, now: NOON }),
  "reserve to index": (world) => reserve(world, { runId: "run_2", pages: [1], host: INDEXED_HOST, intent: "indexing" }),
  "start to index": (world) => start(world, 5),
  "settle to index": (world) => keep(world, 5),
  "end the indexing": ({ ledger }) => ledger.endRun({ runId: "run_2", state: "completed", reason: null, now: NOON }),
  "reserve again": (world) => reserve(world, { runId: "run_3", pages: [2] }),
  "start again": (world) => start(world, 6),
  "charge again": (world) => charge(world, 6),
  "settle again": (world) => keep(world, 6),
  "freeze again": async ({ ledger, fence }) => void (await freeze(ledger, fence, { idempotencyId: "report-2" })),
  "deliver again": (world) => deliver(world, "report-2"),
  "answer again": (world) => answer(world),
  end: ({ ledger }) => ledger.endRun({ runId: "run_3", state: "completed", reason: null, now: NOON }),
} satisfies Record<string, (world: CheckedWorld) => unknown>;

export type Moment = keyof typeof LIFE;

/** Runs the world up to a moment and checks each step except the last. @throws when a checker finds something in a correct run */
export async function liveUntil(world: CheckedWorld, last: Moment, without: readonly Moment[] = []): Promise<void> {
  for (const moment of Object.keys(LIFE) as Moment[]) {
    if (!without.includes(moment)) {
      await LIFE[moment](world);
    }
    if (moment === last) {
      return;
    }
    const violation = world.check();
    if (violation !== null) {
      throw new Error(`after "${moment}": ${JSON.stringify(violation)}`);
    }
  }
}

export const END: EndState = {
  catalog: [1, 2, 3, 4].map((page) => ({ url: urlOf(page), lastMod: null })),
  forbidden: new Set([urlOf(3)]),
  interruptedAllowed: false,
};

const POLICY: ScenarioPolicy = {
  intent: "content",
  format: "markdown",
  prefer: "cheapest",
  inDoubt: "hold",
  rules: [
    { verdict: "allow", license: "ON_DEMAND_LICENSE", maxPrice: null, permission: null },
    { verdict: "allow", license: "CUSTOM_LICENSE", maxPrice: null, permission: null },
  ],
};

const ALLOW_ALL = [{ verdict: "allow" as const, license: null, maxPrice: null, permission: null }];

const ON_DEMAND_RATE = {
  licenseType: "ON_DEMAND_LICENSE" as const,
  cuid: ON_DEMAND.cuid ?? "",
  permissions: ON_DEMAND.permissions ?? [],
  micros: PRICE_MICROS,
  currency: "USD",
};

/** The cheapest is allowed by no rule, the dearest by the second. */
const LISTING: RateChange = {
  at: NOON,
  rates: [
    { ...ON_DEMAND_RATE, licenseType: "ON_DEMAND_FULL_USE_LICENSE", cuid: "cuid-full", micros: 5_000 },
    ON_DEMAND_RATE,
    { ...ON_DEMAND_RATE, licenseType: "CUSTOM_LICENSE", cuid: "cuid-custom", micros: 20_000 },
  ],
};

export const SETTINGS: Settings = {
  sites: [
    { host: HOST, policy: POLICY, refresh: "always", pages: [] },
    { host: INDEXED_HOST, policy: { ...POLICY, intent: "indexing", rules: ALLOW_ALL }, refresh: "always", pages: [] },
  ],
  // Four pages, and one bought again, with the later uses: exactly what this world costs.
  budgets: [{ scope: "all", per: "month", limitMicros: 70_000, currency: "USD" }],
  reportedKinds: ["fetch", "use"],
  billedKinds: ["use"],
  order: "catalog",
  fee: null,
  mistake: null,
};

/** The same settings with one budget. */
export function limited(limitMicros: number): SettingSet {
  return { ...SETTINGS, from: NOON, budgets: [{ scope: "all", per: "month", limitMicros, currency: "USD" }] };
}

async function reserve(
  world: CheckedWorld,
  { pages, ...options }: Partial<Shopping> & { readonly pages: readonly number[] },
): Promise<void> {
  const paths = pages.map((page) => `/${page}`);
  const { leaseId, purchases } = await reservePages(world.ledger, { ...options, paths });
  world.leaseId = leaseId ?? "";
  for (const purchase of purchases) {
    world.purchases.set(purchase.purchaseId, purchase);
  }
}

/** The gateway issues a token, and the purchase is committed as started with it. */
export async function start(world: CheckedWorld, id: number, token = `token-${id}`): Promise<void> {
  const purchase = world.purchases.get(id);
  const url = purchase?.url ?? "";
  const { micros: capMicros, currency, licenseType, cuid: licenseCuid } = ON_DEMAND_RATE;
  const paid = { kind: "content", licenseType, licenseCuid, capMicros, currency } as const;
  const free = { kind: "indexing", licenseType: null, licenseCuid: null, capMicros: null, currency: null } as const;
  const issued = { token, url, spelling: url, issuedAt: NOON, expiresAt: NOON + 1, usedAt: null };
  world.account.tokens.push({ ...issued, ...(purchase?.intent === "indexing" ? free : paid) });
  const { leaseId } = world;
  await world.ledger.startPurchase({ leaseId, purchaseId: id, token: { token, expiresAt: NOON + 1 }, now: NOON });
}

/** The chargeable request arrives and is answered. */
export function charge({ account, purchases }: CheckedWorld, id: number): void {
  const [token, url] = [`token-${id}`, purchases.get(id)?.url ?? ""];
  const { licenseType, cuid: licenseCuid, micros, currency } = ON_DEMAND_RATE;
  account.contentRequests.push({ token, url, spelling: url, at: NOON, status: 200 });
  const sold = { token, url, licenseType, licenseCuid, micros, currency };
  account.charges.push({ ...sold, at: NOON, body: `# ${url}`, said: "truth", isAsOrdered: true });
}

/** The content is settled, at the quote where no charge is said. In micros. */
export function keep(
  world: CheckedWorld,
  id: number,
  { charge = null, fee = 0 }: { readonly charge?: number | null; readonly fee?: number } = {},
): Promise<unknown> {
  return world.ledger.settlePurchase({
    purchaseId: id,
    now: NOON,
    charge: charge === null ? null : { micros: toMicros(charge), currency: "USD" },
    feeMicros: toMicros(fee),
    content: createContent(world.purchases.get(id)?.url ?? ""),
    requestId: null,
    flaws: [],
    isEmpty: false,
  });
}

/** The gateway accepts a report as it is in the ledger. */
export function deliver({ account, query }: CheckedWorld, idempotencyId: string): void {
  const [row] = query<{ body: string }>(
    `SELECT CAST(body AS TEXT) AS body FROM usage_batch WHERE idempotency_id = '${idempotencyId}'`,
  );
  const body = row?.body ?? "";
  const { usage } = JSON.parse(body) as {
    usage: { url: string; timesUsed: number; licenseType: string; licenseCuid: string }[];
  };
  const uses = usage.map(({ timesUsed, ...use }) => ({ ...use, spelling: use.url, times: timesUsed }));
  account.reports.push({ idempotencyId, body, at: NOON, outcome: "accepted", uses });
}

async function answer({ ledger, fence }: CheckedWorld): Promise<void> {
  const batch = await ledger.nextReport({ fence, now: NOON, windowMs: 1_000 });
  if (batch !== null) {
    await settle(ledger, batch);
  }
}
