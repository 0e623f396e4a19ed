import { describe, expect, it } from "vitest";
import { NOON, RULE_TEXTS } from "../../doubles/ledger-shop.ts";
import {
  decideBatch,
  openAcquire,
  RUN,
  start,
  toApproval,
  toEntry,
  toRate,
  toSettlement,
  toSpec,
  walkPage,
} from "../../doubles/ledger-steps.ts";
import { openTempLedger, type TempLedger } from "../../doubles/temp-ledger.ts";
import { createUse, freeze, leaseFlusher, recordUses } from "../../doubles/usage-outbox-driver.ts";

const IDENTITY = "https://news.example/a";
const FIRST = "https://news.example:443/a";
const SECOND = "https://news.example/a#top";

/** Reserves the page as the catalog spells it first. */
async function reserveFirst(): Promise<TempLedger> {
  const temp = await openTempLedger();
  await temp.ledger.createRun(toSpec());
  await walkPage(temp.ledger, { entries: [toEntry("/a", { wireUrl: FIRST })] });
  await decideBatch(temp.ledger);
  return temp;
}

async function audit({ ledger }: TempLedger): Promise<readonly string[]> {
  return (await ledger.audit({ budgets: [], now: NOON })).violations.map(({ detail }) => detail);
}

describe("the spelling of a page", () => {
  it("is the first one, whatever a later catalog says of the page", async () => {
    const { ledger } = await reserveFirst();
    await ledger.createRun(toSpec({ runId: "later" }));
    const changed = { wireUrl: SECOND, lastMod: "2026-11-20", lastModAt: Date.UTC(2026, 10, 20), propertyId: "p" };
    await walkPage(ledger, { runId: "later", entries: [toEntry("/a", changed)] });
    expect(await ledger.readPage(IDENTITY)).toMatchObject({ wireUrl: FIRST, lastMod: "2026-11-20" });
  });
});

describe("the spelling of a purchase", () => {
  it("is requested and reported although the page has another spelling by then", async () => {
    const temp = await reserveFirst();
    const { ledger } = temp;
    temp.tamper(`UPDATE page SET wire_url = '${SECOND}'`);
    const { leaseId, purchases } = await openAcquire(ledger);
    expect(purchases).toMatchObject([{ url: IDENTITY, wireUrl: FIRST }]);
    const purchaseId = purchases[0]?.purchaseId ?? 0;
    await start(ledger, leaseId, purchaseId);
    await ledger.settlePurchase(toSettlement(purchaseId));
    const batch = await freeze(ledger, await leaseFlusher(ledger));
    expect(batch.entries.map(({ url }) => url)).toEqual([FIRST]);
    expect(JSON.parse(Buffer.from(batch.body).toString())).toMatchObject({ usage: [{ url: FIRST }] });
    expect(await audit(temp)).toEqual([]);
  });

  it.each([
    [
      "a purchase of another page",
      "UPDATE purchase SET url = 'https://news.example/b'",
      /is made under .*another page$/,
    ],
    ["a report under another spelling", `UPDATE usage_entry SET wire_url = '${SECOND}'`, /which was bought as/],
  ])("is audited: %s", async (_name, damage, violation) => {
    const temp = await reserveFirst();
    const { leaseId, purchases } = await openAcquire(temp.ledger);
    const purchaseId = purchases[0]?.purchaseId ?? 0;
    await start(temp.ledger, leaseId, purchaseId);
    await temp.ledger.settlePurchase(toSettlement(purchaseId));
    await recordUses(temp.ledger, [createUse("/a")]);
    await freeze(temp.ledger, await leaseFlusher(temp.ledger));
    temp.tamper(damage);
    expect((await audit(temp)).some((detail) => violation.test(detail))).toBe(true);
  });
});

describe("the rule of a purchase", () => {
  it("is stored with the text of the rule that allowed the purchase", async () => {
    const { ledger } = await openTempLedger();
    await ledger.createRun(toSpec());
    await walkPage(ledger, { entries: [toEntry("/a"), toEntry("/b")] });
    await decideBatch(ledger, {
      decisions: (pageIds) =>
        pageIds.map((pageId, ruleIndex) => {
          const approval = toApproval(pageId, toRate(10_000));
          return { ...approval, verdict: { ...approval.verdict, ruleIndex } };
        }),
    });
    const rules = async (path: string) =>
      (await ledger.readPage(`https://news.example${path}`))?.purchases.map(({ rule }) => rule);
    expect(await rules("/a")).toEqual([RULE_TEXTS[0]]);
    expect(await rules("/b")).toEqual([RULE_TEXTS[1]]);
  });

  it.each([
    ["one that is not said", "UPDATE purchase SET rule_id = NULL WHERE id = 2", /does not say the rule/],
    [
      "one that is not there",
      "UPDATE purchase SET rule_id = 99 WHERE id = 1",
      /names a rule that the ledger does not have/,
    ],
    [
      "two under one number",
      "INSERT INTO rule (id, text) VALUES (50, 'allow everything else'); UPDATE purchase SET rule_id = 50 WHERE id = 2",
      /which says two things/,
    ],
  ])("is audited: %s", async (_name, damage, violation) => {
    const temp = await openTempLedger();
    await temp.ledger.createRun(toSpec({ runId: RUN }));
    await walkPage(temp.ledger, { entries: [toEntry("/a"), toEntry("/b")] });
    await decideBatch(temp.ledger);
    expect(await audit(temp)).toEqual([]);
    temp.tamper(damage);
    expect((await audit(temp)).some((detail) => violation.test(detail))).toBe(true);
  });
});
