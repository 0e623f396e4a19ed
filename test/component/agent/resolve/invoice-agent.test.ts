/** Which purchase each line of an invoice accounts for, over a ledger with purchases of every state. */
import { beforeEach, describe, expect, it } from "vitest";
import type { CheckedInvoiceLine } from "../../../../src/agent/resolve/doubt-word.ts";
import { resolveInvoiceAgent } from "../../../../src/agent/resolve/invoice-agent.ts";
import type { Ledger } from "../../../../src/ledger/ledger.ts";
import { toMicros } from "../../../../src/money/micros.ts";
import { buyPages, NOON, type Shopping, startPages } from "../../../doubles/ledger-shop.ts";
import { openTempLedger } from "../../../doubles/temp-ledger.ts";

const URL_A = "https://news.example/a";

let ledger: Ledger;
let runs: number;
beforeEach(async () => {
  ({ ledger } = await openTempLedger());
  runs = 0;
});

const SHOP = { priceMicros: 1_000, inDoubt: "rebuy" } as const;

/** The price is 1,000 micros where a test does not say otherwise. */
async function buy(own: Partial<Shopping> = {}): Promise<number> {
  const [purchaseId = 0] = await buyPages(ledger, { ...SHOP, runId: `run_${++runs}`, ...own });
  return purchaseId;
}

async function start(own: Partial<Shopping> = {}): Promise<number> {
  const [purchase] = await startPages(ledger, { ...SHOP, runId: `run_${++runs}`, ...own });
  return purchase?.purchaseId ?? 0;
}

async function doubt(own: Partial<Shopping> = {}): Promise<number> {
  const purchaseId = await start(own);
  await ledger.holdInDoubt({ purchaseId, reason: "token_spent", detail: "401", now: NOON });
  return purchaseId;
}

async function apply(lines: readonly Partial<CheckedInvoiceLine>[], charged = true) {
  const resources = {
    ledger: async () => ledger,
    clock: { now: () => NOON },
    systemUser: () => "tester",
  } as unknown as Parameters<typeof resolveInvoiceAgent>[0];
  const checked = (async function* () {
    for (const [index, line] of lines.entries()) {
      yield { line: index + 1, purchaseId: null, url: null, amount: null, ...line };
    }
  })();
  const { resolved, accounted, unmatched } = await resolveInvoiceAgent(resources, checked, { charged, keepOff: false });
  return {
    resolved: resolved.map(({ purchaseId }) => purchaseId),
    accounted: accounted.map(({ purchaseId }) => purchaseId),
    unmatched,
  };
}

const costs = (micros: number, currency: string | null = "USD") => ({ amount: { micros: toMicros(micros), currency } });

describe("a line of an invoice", () => {
  it("accounts for the settled purchases of its page, the oldest first, and only then for what is in doubt", async () => {
    const [first, second, third] = [await buy(), await buy(), await doubt()];
    const line = { url: URL_A, ...costs(1_000) };
    expect(await apply([line])).toEqual({ resolved: [], accounted: [first], unmatched: [] });
    expect(await apply([line, line])).toEqual({ resolved: [], accounted: [first, second], unmatched: [] });
    expect(await apply([line, line, line])).toEqual({
      resolved: [third],
      accounted: [first, second, third],
      unmatched: [],
    });
  });

  it("changes nothing when it is applied again, and names the line that is one too many", async () => {
    await buy();
    await doubt();
    const last = await doubt();
    const lines = [{ url: URL_A }, { url: URL_A, ...costs(1_000) }];
    expect((await apply(lines)).resolved).toHaveLength(1);
    expect(await apply(lines)).toMatchObject({ resolved: [], unmatched: [] });
    expect(await apply([...lines, { url: URL_A }])).toMatchObject({ resolved: [last] });
    expect(await apply([...lines, { url: URL_A }, { url: URL_A }])).toMatchObject({
      resolved: [],
      unmatched: [{ line: 1, reason: expect.stringContaining("each purchase of it has another line") }].map(
        ({ reason }) => ({ line: 4, reason }),
      ),
    });
  });

  it("leaves the purchase that it could account for to a line that fits no other", async () => {
    const [cheap, dear] = [await buy(), await doubt({ priceMicros: 2_000 })];
    expect(await apply([{ url: URL_A }, { url: URL_A, ...costs(1_000) }])).toMatchObject({
      resolved: [dear],
      accounted: [dear, cheap],
    });
    const [settled, other] = [await buy({ paths: ["/b"] }), await doubt({ paths: ["/b"] })];
    const page = { url: "https://news.example/b", ...costs(1_000) };
    expect(await apply([page, { purchaseId: settled }])).toMatchObject({
      resolved: [other],
      accounted: [other, settled],
    });
  });

  it("accounts for what is being asked for again before what is in doubt", async () => {
    const [doubtful, underWay] = [await doubt(), await start()];
    expect(await apply([{ url: URL_A }])).toMatchObject({ resolved: [], accounted: [underWay] });
    expect(await apply([{ url: URL_A }, { url: URL_A }])).toMatchObject({ resolved: [doubtful] });
  });

  it("fits the charge or the quote, with or without the fee, in its currency", async () => {
    await doubt({ feeMicros: 50 });
    expect(await apply([{ url: URL_A, ...costs(1_000, "EUR") }])).toMatchObject({
      unmatched: [{ reason: `${URL_A} was quoted at a different amount: 1000 micros USD` }],
    });
    expect(await apply([{ url: URL_A, ...costs(1_050, null) }])).toMatchObject({ resolved: [expect.any(Number)] });
    expect(await apply([{ url: URL_A, ...costs(1_000) }])).toMatchObject({ resolved: [], unmatched: [] });
    expect(await apply([{ url: URL_A, ...costs(7) }])).toMatchObject({
      unmatched: [{ reason: `${URL_A} was charged a different amount: 1000 micros USD` }],
    });
  });

  it("says of a purchase that a person resolved as not charged that it was", async () => {
    const purchaseId = await doubt();
    await apply([{ purchaseId }], false);
    expect(await apply([{ purchaseId }])).toMatchObject({
      unmatched: [{ reason: expect.stringContaining("a person said that it was not charged") }],
    });
  });
});

describe("a line of what was not charged", () => {
  it("accounts first for what is known as not charged, and never for what was charged", async () => {
    await buy();
    const [first, second] = [await doubt(), await doubt()];
    expect(await apply([{ url: URL_A }], false)).toMatchObject({ resolved: [first] });
    expect(await apply([{ url: URL_A }], false)).toMatchObject({ resolved: [], accounted: [first] });
    expect(await apply([{ url: URL_A }, { url: URL_A }, { url: URL_A }], false)).toMatchObject({
      resolved: [second],
      unmatched: [{ line: 3 }],
    });
  });

  it("fits nothing where all was charged, or may still be", async () => {
    const settled = await buy();
    const underWay = await start({ paths: ["/b"] });
    expect(await apply([{ purchaseId: settled }, { purchaseId: underWay }], false)).toMatchObject({
      unmatched: [{ reason: /it was charged/ }, { reason: /its request is being repeated/ }].map(({ reason }) => ({
        reason: expect.stringMatching(reason),
      })),
    });
  });
});
