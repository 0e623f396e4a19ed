import { afterEach, describe, expect, it } from "vitest";
import type { ContentAnswer } from "../../../src/gateway/gateway.ts";
import { toMicros } from "../../../src/money/micros.ts";
import { acquire } from "../../../src/pipeline/acquire/acquire.ts";
import { FIRST_PAGES } from "../../../src/pipeline/acquire/slow-start.ts";
import {
  EMPTY_IN_A_ROW,
  REDIRECTED_IN_A_ROW,
  UNAUTHORIZED_IN_A_ROW,
} from "../../../src/pipeline/settle/answer-streaks.ts";
import { createSlots } from "../../../src/pipeline/work/slots.ts";
import { contentAnswer, LICENSE, PRICE, SILENCE, UNAUTHORIZED } from "../../doubles/scripted-gateway.ts";
import { createStageWorld, HOST, NEVER, type StageWorld, type WorldOptions } from "./stage-world.ts";

let world: StageWorld;
afterEach(() => world.close());

const PATHS = Array.from({ length: 20 }, (_, index) => `/${index}`);
const MANY = { acquireBatchSize: PATHS.length, quoteBatchSize: PATHS.length };

const REDIRECTED: ContentAnswer = {
  kind: "refused",
  status: 302,
  detail: "a redirect to https://login.example",
  requestId: null,
};
const EMPTY = contentAnswer({ body: "" });

/** Buys from a site whose content requests are answered so. */
async function buy(
  answer: ContentAnswer | ((call: number) => ContentAnswer),
  options: WorldOptions = {},
): Promise<readonly string[]> {
  const give = typeof answer === "function" ? answer : () => answer;
  world = await createStageWorld({
    ...options,
    limits: { ...MANY, ...options.limits },
    script: { fetchContent: (_request, call) => give(call) },
  });
  await world.drive(acquire(world.deps, await world.leasePurchases(PATHS), NEVER));
  return world.ends(PATHS);
}

async function site() {
  return (await world.ledger.readRun(world.runId)).sites[0];
}

const requests = () => world.gateway.requests("fetchContent").length;
const stops = () => world.said.filter(({ event }) => event === "siteStopped");

describe("a site whose fresh tokens are all refused (401)", () => {
  it("is stopped after a streak, once, with the gateway's own text and what to do", async () => {
    const ends = await buy(UNAUTHORIZED);
    expect(requests()).toBeLessThan(UNAUTHORIZED_IN_A_ROW + FIRST_PAGES);
    expect(ends.filter((end) => end === "released site_stopped").length).toBe(PATHS.length - requests());
    expect(await site()).toMatchObject({
      stop: "unauthorized",
      stopDetail: expect.stringMatching(/the token is not valid.*gateway\.headers\.token/),
    });
    expect(stops()).toHaveLength(1);
    expect((await world.purchase("/0"))?.detail).toContain("the token is not valid");
  });

  it("is stopped too if it is only indexed", async () => {
    await buy(UNAUTHORIZED, { intent: "indexing" });
    expect(await site()).toMatchObject({ stop: "unauthorized" });
  });

  it("is not stopped by 401 for some pages", async () => {
    await buy((call) => (call % 2 === 0 ? UNAUTHORIZED : contentAnswer()));
    expect(requests()).toBe(PATHS.length);
    expect(await site()).toMatchObject({ stop: null, failed: PATHS.length / 2 });
  });
});

describe("a redirect instead of content", () => {
  it("releases the page after one request, and stops a site that never delivered one", async () => {
    const ends = await buy(REDIRECTED);
    expect(requests()).toBeLessThanOrEqual(FIRST_PAGES);
    expect(ends.filter((end) => end.startsWith("in_doubt"))).toEqual([]);
    expect(await site()).toMatchObject({
      stop: "redirected",
      stopDetail: expect.stringMatching(/https:\/\/login\.example.*Set gateway\.baseUrl/),
    });
  });

  it("keeps a page in doubt that may have been sent before, and stops the site too", async () => {
    const ends = await buy((call) => (call <= FIRST_PAGES ? SILENCE : REDIRECTED));
    expect(ends.filter((end) => end === "in_doubt unanswered").length).toBe(FIRST_PAGES);
    expect(await site()).toMatchObject({ stop: "redirected" });
  });

  it("concerns only that page where others are delivered, unless many come in a row", async () => {
    await buy((call) => (call === 3 ? REDIRECTED : contentAnswer()));
    expect(await site()).toMatchObject({ stop: null, failed: 1, bought: PATHS.length - 1 });
    await world.close();
    await buy((call) => (call === 1 ? contentAnswer() : REDIRECTED));
    expect(await site()).toMatchObject({ stop: "redirected", bought: 1 });
    expect(requests()).toBeGreaterThanOrEqual(1 + REDIRECTED_IN_A_ROW);
  });
});

describe("paid pages without content", () => {
  it("are settled, counted and warned about, and a streak of them stops the site", async () => {
    await buy(EMPTY);
    expect(requests()).toBeLessThan(EMPTY_IN_A_ROW + FIRST_PAGES);
    expect(await site()).toMatchObject({
      stop: "empty_content",
      bought: requests(),
      empty: requests(),
      // What was only reserved is taken back: it waits for a later run.
      failed: 0,
    });
    expect(world.said.filter(({ event, text }) => event === "warned" && text.includes("without content"))).not.toEqual(
      [],
    );
  });

  it("stop nothing if other pages have content", async () => {
    await buy((call) => (call % 2 === 0 ? EMPTY : contentAnswer()));
    expect(await site()).toMatchObject({ stop: null, bought: PATHS.length, empty: PATHS.length / 2 });
  });

  it.each([
    ["one byte too short", 12, "empty_content"],
    ["just long enough", 11, null],
  ])("are those below content.minBytes: %s", async (_name, minContentBytes, stop) => {
    await buy(contentAnswer({ body: "the article" }), { limits: { minContentBytes } });
    expect(await site()).toMatchObject({ stop });
  });

  it("are accepted where nothing is paid", async () => {
    await buy(EMPTY, { intent: "indexing" });
    expect(await site()).toMatchObject({ stop: null, empty: 0 });
  });
});

describe("content that is not what was ordered", () => {
  const unreadable = contentAnswer({ rate: null, rateUnreadable: "priceMicros is a text" });
  const implausible = contentAnswer({
    rate: { price: { micros: toMicros(10 ** 15), currency: "USD" }, license: null },
  });
  const dear = contentAnswer({
    rate: { price: { micros: toMicros(PRICE.micros + 1), currency: "USD" }, license: null },
  });
  const under = (license: Partial<typeof LICENSE>) =>
    contentAnswer({ rate: { price: PRICE, license: { ...LICENSE, ...license } } });

  it.each([
    ["a charge that cannot be read", unreadable, "charge_unreadable"],
    ["a charge that is not plausible", implausible, "charge_unreadable"],
    ["a charge above the quote", dear, "overcharged"],
    ["a licence of another type", under({ licenseType: "CUSTOM_LICENSE" }), "license_mismatch"],
    ["a licence with another id", under({ cuid: "lic-2" }), "license_mismatch"],
  ])("stops the site after the few pages in flight: %s", async (_name, answer, stop) => {
    const ends = await buy(answer);
    expect(requests()).toBeLessThanOrEqual(FIRST_PAGES);
    expect(ends.filter((end) => end === "settled")).toHaveLength(requests());
    expect(await site()).toMatchObject({ host: HOST, stop });
    const { openItems } = await world.ledger.readStatus();
    expect(openItems).toHaveLength(requests());
    expect(stops()).not.toEqual([]);
  });

  it.each([
    ["no rate at all", contentAnswer({ rate: null })],
    ["a licence without an id", under({ cuid: null })],
    ["other words of the same licence", under({ licensePath: "https://l.example", permissions: ["FULL_USE"] })],
  ])("causes nothing for an omitted field: %s", async (_name, answer) => {
    await buy(answer);
    expect(await site()).toMatchObject({ stop: null, bought: PATHS.length });
  });

  it("counts a license beside an omitted price", async () => {
    await buy(contentAnswer({ rate: null, license: { ...LICENSE, cuid: "lic-2" } }));
    expect(await site()).toMatchObject({ stop: "license_mismatch" });
  });
});

describe("the first pages of a site", () => {
  /** How many content requests were under way at most, before the first one was answered well and after. */
  async function countAtOnce(answer: (call: number) => ContentAnswer): Promise<{ before: number; after: number }> {
    const most = { before: 0, after: 0 };
    let atOnce = 0;
    let isProven = false;
    world = await createStageWorld({
      limits: MANY,
      script: {
        fetchContent: async (_request, call) => {
          atOnce++;
          const phase = isProven ? "after" : "before";
          most[phase] = Math.max(most[phase], atOnce);
          await new Promise((resolve) => setImmediate(resolve));
          atOnce--;
          const given = answer(call);
          isProven ||= given.kind === "content";
          return given;
        },
      },
    });
    const leaseId = await world.leasePurchases(PATHS);
    await world.drive(acquire({ ...world.deps, pageSlots: createSlots(16) }, leaseId, NEVER));
    return most;
  }

  it("are requested a few at a time until one is settled, and then up to the concurrency", async () => {
    const { before, after } = await countAtOnce((call) =>
      call < 7 ? { kind: "refused", status: 404, detail: "gone", requestId: null } : contentAnswer(),
    );
    expect(before).toBe(FIRST_PAGES);
    expect(after).toBeGreaterThan(FIRST_PAGES);
    expect(await site()).toMatchObject({ failed: 6, bought: PATHS.length - 6 });
  });

  it("hold back the site's other batches until one is settled", async () => {
    world = await createStageWorld({ limits: { acquireBatchSize: 5, quoteBatchSize: PATHS.length } });
    const leaseId = await world.leasePurchases(PATHS);
    await expect(world.lease("acquire")).rejects.toThrow("leased nothing");
    await world.drive(acquire(world.deps, leaseId, NEVER));
    await world.lease("acquire");
    await world.lease("acquire");
  });
});
