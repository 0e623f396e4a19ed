import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { CLOSED_URL, CUSTOM_URL, call, FREE_URL, JSON_KEY, PAGE_URL, report, startGateway } from "./gateway-caller.ts";

let gateway: Sandbox;

beforeEach(async () => {
  gateway = await startGateway({ maxUsageEntries: 3 });
});
afterEach(() => gateway.close());

const USE = { url: PAGE_URL, timesUsed: 2, licenseType: "ON_DEMAND_LICENSE" };
const CUSTOM_USE = { url: CUSTOM_URL, timesUsed: 1, licenseType: "CUSTOM_LICENSE", licenseCuid: "custom-1" };

describe("a self-report", () => {
  test("is answered with one result per entry, in order", async () => {
    const answer = await report(gateway, { idempotencyId: "r1", usage: [USE, CUSTOM_USE, USE] });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual([
      {
        url: PAGE_URL,
        perUnitPriceMicros: 2_000,
        totalUsePriceMicros: 4_000,
        currency: "USD",
        license: {
          cuid: expect.any(String),
          licenseType: "ON_DEMAND_LICENSE",
          licensePath: expect.any(String),
          permissions: [{ name: "PARTIAL_USE" }],
        },
      },
      expect.objectContaining({ url: CUSTOM_URL, totalUsePriceMicros: 7_000 }),
      expect.objectContaining({ url: PAGE_URL, totalUsePriceMicros: 4_000 }),
    ]);
    expect(gateway.audit()).toMatchObject({
      uses: [{ idempotencyId: "r1", url: PAGE_URL, times: 2, totalMicros: 4_000 }, {}, {}],
      totals: { USD: { chargedMicros: 0, chargeCount: 0, reportedMicros: 15_000, reportedUses: 5 } },
      reports: 1,
    });
  });

  test("with the same id and the same bytes gives the same answer and counts once", async () => {
    const body = JSON.stringify({ idempotencyId: "r1", usage: [USE] });
    const first = await report(gateway, body);
    gateway.setRates(PAGE_URL, [{ priceMicros: 9_999 }]);
    const second = await report(gateway, body);
    expect(second.status).toBe(200);
    expect(second.text).toBe(first.text);
    expect(gateway.audit().totals).toMatchObject({ USD: { reportedMicros: 4_000, reportedUses: 2 } });
  });

  test("treats an empty cuid as none", async () => {
    const usage = [
      { ...USE, licenseCuid: "" },
      { ...CUSTOM_USE, licenseCuid: "", licenseId: "custom-1" },
    ];
    expect(await report(gateway, { idempotencyId: "r1", usage })).toMatchObject({ status: 200 });
  });

  test("sent many times at once counts once", async () => {
    const body = JSON.stringify({ idempotencyId: "r1", usage: [USE] });
    const answers = await Promise.all(Array.from({ length: 10 }, () => report(gateway, body)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(gateway.audit()).toMatchObject({ reports: 1, totals: { USD: { reportedUses: 2 } } });
  });

  test.each([
    ["other entries", JSON.stringify({ idempotencyId: "r1", usage: [CUSTOM_USE] })],
    ["the same entries in other bytes", JSON.stringify({ usage: [USE], idempotencyId: "r1" })],
  ])("with a known id and %s is a conflict", async (_name, body) => {
    await report(gateway, { idempotencyId: "r1", usage: [USE] });
    expect(await report(gateway, body)).toMatchObject({ status: 409, json: { code: "idempotency-conflict" } });
    expect(gateway.audit().totals).toMatchObject({ USD: { reportedUses: 2 } });
  });

  test("that was refused does not use up its id", async () => {
    expect((await report(gateway, { idempotencyId: "r1", usage: [{ ...USE, timesUsed: 0 }] })).status).toBe(400);
    expect((await report(gateway, { idempotencyId: "r1", usage: [USE] })).status).toBe(200);
  });

  test("may name a license that the page offered before", async () => {
    gateway.setRates(PAGE_URL, []);
    const answer = await report(gateway, { idempotencyId: "r1", usage: [USE] });
    expect(answer.json[0]).toMatchObject({ perUnitPriceMicros: 2_000 });
  });

  test("of a free page costs nothing", async () => {
    const answer = await report(gateway, { idempotencyId: "r1", usage: [{ ...USE, url: FREE_URL }] });
    expect(answer.json[0]).toMatchObject({ perUnitPriceMicros: 0, totalUsePriceMicros: 0 });
  });

  test("accepts the largest number of entries and refuses one more", async () => {
    expect((await report(gateway, { idempotencyId: "r1", usage: [USE, USE, USE] })).status).toBe(200);
    expect((await report(gateway, { idempotencyId: "r2", usage: [USE, USE, USE, USE] })).status).toBe(400);
  });

  test.each([
    ["no idempotencyId", { usage: [USE] }],
    ["an empty idempotencyId", { idempotencyId: "", usage: [USE] }],
    ["a number for idempotencyId", { idempotencyId: 7, usage: [USE] }],
    ["an idempotencyId that is too long", { idempotencyId: "x".repeat(256), usage: [USE] }],
    ["no usage", { idempotencyId: "r" }],
    ["an empty usage", { idempotencyId: "r", usage: [] }],
    ["usage that is not a list", { idempotencyId: "r", usage: USE }],
    ["an entry that is not an object", { idempotencyId: "r", usage: [null] }],
    ["an entry without a URL", { idempotencyId: "r", usage: [{ ...USE, url: undefined }] }],
    ["a URL of no site", { idempotencyId: "r", usage: [{ ...USE, url: "https://other.example/" }] }],
    ["no timesUsed", { idempotencyId: "r", usage: [{ ...USE, timesUsed: undefined }] }],
    ["timesUsed 0", { idempotencyId: "r", usage: [{ ...USE, timesUsed: 0 }] }],
    ["timesUsed 1.5", { idempotencyId: "r", usage: [{ ...USE, timesUsed: 1.5 }] }],
    ["timesUsed as text", { idempotencyId: "r", usage: [{ ...USE, timesUsed: "1" }] }],
    ["timesUsed beyond exact prices", { idempotencyId: "r", usage: [{ ...USE, timesUsed: 2 ** 43 }] }],
    ["a licence type that there is not", { idempotencyId: "r", usage: [{ ...USE, licenseType: "OTHER" }] }],
    ["a custom licence without cuid", { idempotencyId: "r", usage: [{ ...CUSTOM_USE, licenseCuid: undefined }] }],
    ["a custom licence with an empty cuid", { idempotencyId: "r", usage: [{ ...CUSTOM_USE, licenseCuid: "" }] }],
    ["a custom licence that the page lacks", { idempotencyId: "r", usage: [{ ...CUSTOM_USE, licenseCuid: "other" }] }],
    ["a page that was never licensable", { idempotencyId: "r", usage: [{ ...USE, url: CLOSED_URL }] }],
    ["one bad entry among good ones", { idempotencyId: "r", usage: [USE, { ...USE, timesUsed: -1 }, USE] }],
  ])("is refused as a whole for %s", async (_name, body) => {
    expect((await report(gateway, body)).status).toBe(400);
    expect(gateway.audit()).toMatchObject({ uses: [], totals: {}, reports: 0 });
  });

  test("that is refused for one entry says which", async () => {
    const answer = await report(gateway, { idempotencyId: "r", usage: [USE, { ...USE, timesUsed: -1 }] });
    expect(answer.json.detail).toContain("usage[1].timesUsed");
  });

  test.each([
    ["without a key", { ServiceKey: "" }, 401],
    ["with a wrong key", { ServiceKey: "other" }, 401],
    ["without a UserAgent header", { UserAgent: "" }, 401],
    ["with an agent that is not registered", { UserAgent: "curl/8" }, 401],
    ["with another content type", { "Content-Type": "text/plain" }, 415],
  ])("is refused %s", async (_name, headers, status) => {
    expect((await report(gateway, { idempotencyId: "r", usage: [USE] }, headers)).status).toBe(status);
  });

  test("does not accept a User-Agent header instead of the UserAgent header", async () => {
    const body = JSON.stringify({ idempotencyId: "r", usage: [USE] });
    const headers = { ...JSON_KEY, "User-Agent": "licet-demo" };
    expect((await call(gateway, "POST", "/service/dev/v2/transactions/selfReport", headers, body)).status).toBe(401);
  });
});

test("variants show receipts in an object, with id instead of cuid", async () => {
  const other = await startGateway({ profileVariants: { reportShape: "receipts", licenseIdName: "id" } });
  const { json } = await report(other, { idempotencyId: "r", usage: [USE] });
  expect(json.receipts[0].license).toHaveProperty("id");
  expect(json.receipts[0].license).not.toHaveProperty("cuid");
  await other.close();
});
