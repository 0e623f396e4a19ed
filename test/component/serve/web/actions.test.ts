/** Actions over HTTP: what each page says, that the form does it once under the name of the token, and who is refused. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ledger } from "../../../../src/ledger/ledger.ts";
import { openSqliteLedger } from "../../../../src/ledger/sqlite/open.ts";
import { toMicros } from "../../../../src/money/micros.ts";
import { ACTIONS } from "../../../../src/serve/web/actions/all-actions.ts";
import { createContent, NOON, startPages } from "../../../doubles/ledger-shop.ts";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";
import { createWebClient, hidden } from "../../../doubles/web-client.ts";

const HOST = "news.example";
const TOKEN = "the-token-of-anna-000001";
const READ_TOKEN = "the-token-of-finance-01";
const WHY = "the gateway's operator says so";

let world: ServiceWorld;
let ledger: Ledger;
let cookie: string;

beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: {
      sites: [{ kind: "synthetic", host: HOST, pages: 12, bodyBytes: 300 }],
      rates: { default: [{ license: "ON_DEMAND_LICENSE", price: "0.003 USD" }] },
    },
    config: {
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      sites: [{ host: HOST, policy: "standard" }],
      serve: {
        port: 0,
        tokens: [
          { name: "anna", token: TOKEN, can: "act" },
          { name: "finance", token: READ_TOKEN },
        ],
      },
    },
  });
  ledger = await openSqliteLedger({ path: world.ledgerFile });
  cookie = await browser.logIn(TOKEN);
});
afterAll(async () => {
  await ledger.close();
  await world.close();
});

const browser = createWebClient(() => world);
const look = (path: string, as = cookie) => browser.look(path, { cookie: as });
const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  browser.send(path, fields, { cookie, ...headers });

/** The form of an action's page, filled in. */
async function fillIn(path: string, fields: Record<string, string> = {}): Promise<Record<string, string>> {
  const page = await look(path);
  expect(page.status, page.text).toBe(200);
  return { form: hidden(page, "form"), key: hidden(page, "key"), reason: WHY, ...fields };
}

const acts = async () => (await ledger.readActs({ before: null, runId: null, limit: 100 })).map(({ kind }) => kind);

/** Sends a form twice: both lead to the same page, and one act is written. */
async function doTwice(path: string, fields: Record<string, string> = {}): Promise<string> {
  const before = (await acts()).length;
  const form = await fillIn(path, fields);
  const [first, second] = await Promise.all([send(path, form), send(path, form)]);
  const third = await send(path, form);
  expect([first.status, second.status, third.status], `${first.text}${third.text}`).toEqual([303, 303, 303]);
  expect([second.headers.location, third.headers.location]).toEqual([first.headers.location, first.headers.location]);
  expect(await acts()).toHaveLength(before + 1);
  const [newest] = await ledger.readActs({ before: null, runId: null, limit: 1 });
  expect(newest).toMatchObject({ by: "anna", reason: WHY });
  expect((await look(String(first.headers.location))).status).toBe(200);
  return String(first.headers.location);
}

const ids = (path: string) =>
  path
    .replace(":host", HOST)
    .replace("/runs/:id", "/runs/run_1")
    .replace(":id", "1")
    .replace(":name/approve", `may.jsonl/approve?content=${"0".repeat(64)}`)
    .replace("purge", "purge?url=https%3A%2F%2Fnews.example%2Fa");

describe("every action", () => {
  it.each(ACTIONS.map(({ path }) => ids(path)))(
    "%s is refused to who may only read, to a foreign page, and without the form's token",
    async (path) => {
      const reader = await browser.logIn(READ_TOKEN);
      const key = "0".repeat(32);
      const before = await acts();
      expect(await look(path, reader)).toMatchObject({ status: 403 });
      expect(await send(path, { key, reason: WHY }, { cookie: reader })).toMatchObject({ status: 403 });
      expect(await send(path, { key, reason: WHY, form: "wrong" })).toMatchObject({ status: 403 });
      const form = hidden(await look("/settings"), "form");
      expect(await send(path, { key, reason: WHY, form }, { origin: "https://evil.example" })).toMatchObject({
        status: 403,
      });
      expect(await send(path, { form, key, reason: " " })).toMatchObject({ status: 400 });
      expect(await send(path, { form, reason: WHY })).toMatchObject({ status: 400 });
      expect(await acts()).toEqual(before);
    },
  );
});

it("is on a page of who may act alone, also where others ask for the same page at the same time", async () => {
  const reader = await browser.logIn(READ_TOKEN);
  const asked = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? cookie : reader));
  const pages = await Promise.all(asked.map((as) => look("/runs", as)));
  expect(pages.map(({ status }) => status)).toEqual(asked.map(() => 200));
  expect(pages.map(({ text }) => text.includes("Start a run"))).toEqual(asked.map((as) => as === cookie));
});

describe("one form does its action once, by the name of the token", () => {
  it("starts a run, which its page shows as a funnel", async () => {
    const location = await doTwice("/runs/start", { site: HOST, maxPages: "3" });
    expect(location).toMatch(/^\/runs\/run_/);
    expect(
      (await ledger.readRuns({ limit: 9, runId: null, host: null, state: null, now: NOON, aliveMs: 1, gone: [] }))
        .total,
    ).toBe(1);
    const { text } = await look(location);
    expect(text).toContain("How far its pages came");
    expect(text).toMatch(/<strong>quoted<\/strong>.*?<td class="number">no price yet<\/td>/);
  });

  it("pauses a site and ends the pause", async () => {
    await doTwice(`/sites/${HOST}/pause`);
    expect(await ledger.readPauses()).toMatchObject([{ host: HOST, by: "anna", reason: WHY }]);
    const { text } = await look(`/sites/${HOST}`);
    expect(text).toContain(">paused</span>");
    expect(text).toContain("End its pause");
    expect(text).not.toContain("Pause this site");
    await doTwice(`/sites/${HOST}/unpause`);
    expect(await ledger.readPauses()).toEqual([]);
  });

  it("resolves a purchase in doubt, and cancels its run", async () => {
    const [started] = await startPages(ledger, { runId: "run_doubt", paths: ["/doubt"] });
    const purchaseId = started?.purchaseId ?? 0;
    await ledger.holdInDoubt({ purchaseId, reason: "token_spent", detail: "<b>401</b>", now: NOON });
    const path = `/purchases/${purchaseId}/resolve`;
    expect((await look(path)).text).toContain("&lt;b&gt;401");
    await doTwice(path, { word: "not_charged_and_not_bought_again" });
    expect((await ledger.readStatus()).inDoubt).toEqual([]);
    await ledger.endRun({ runId: "run_doubt", state: "interrupted", reason: null, now: NOON });
    await doTwice("/runs/run_doubt/cancel");
    expect((await ledger.readRun("run_doubt")).state).toBe("cancelled");
    // Who did it, on the page of the run.
    expect((await look("/runs/run_doubt")).text).toMatch(/>anna<[\s\S]*run_cancelled[\s\S]*<h2>Configuration/);
  });

  it("looks after an alert", async () => {
    const about = { site: null, run: null, code: null, command: "licet status" };
    const rest = { details: {}, at: NOON, unless: null, unreportedForMs: null, isSilent: false };
    const alert = { kind: "run_failed", key: "run_failed:run_7", message: "run_7 failed", ...about, ...rest } as const;
    await ledger.raiseAlerts({ alerts: [alert], receivers: [], now: NOON });
    const alertId = (await ledger.readAlerts({ before: null, isOpen: true, limit: 1 }))[0]?.alertId ?? 0;
    expect(await doTwice(`/alerts/${alertId}/acknowledge`)).toBe("/alerts");
  });

  it("does not take the key of one form for another thing", async () => {
    const form = await fillIn(`/sites/${HOST}/pause`);
    expect((await send(`/sites/${HOST}/pause`, form)).status).toBe(303);
    expect((await send(`/sites/${HOST}/unpause`, form)).status).toBe(303);
    expect(await ledger.readPauses()).toEqual([]);
  });

  it.each([
    `/sites/${HOST}/unpause`,
    "/purchases/999/resolve",
    "/items/999/close",
    "/alerts/999/acknowledge",
    "/runs/run_doubt/cancel",
    "/runs/run_doubt/resume",
    "/runs/run_doubt/stop",
  ])("says at %s that there is nothing to do, without a form, and leads back", async (path) => {
    const page = await look(path);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('name="key"');
    expect(page.text).toContain("Back, and do nothing");
  });

  it("offers of a site that an open item stops what there is to do: to pause it, or to end its pause", async () => {
    const stopped = "dear.example";
    const runId = "run_dear";
    const [started] = await startPages(ledger, { runId, host: stopped, paths: ["/dear"], reportsFetch: false });
    const { purchaseId = 0, url = "" } = started ?? {};
    await ledger.settlePurchase({
      purchaseId,
      now: NOON,
      charge: { micros: toMicros(20_000), currency: "USD" },
      feeMicros: toMicros(0),
      content: createContent(url),
      requestId: null,
      flaws: [],
      isEmpty: false,
    });
    await ledger.endRun({ runId, state: "failed", reason: null, now: NOON });
    const offered = async () => {
      const { text } = await look(`/sites/${stopped}`);
      expect(text).toContain(">stopped</span>");
      return ["pause", "unpause"].filter((action) => text.includes(`href="/sites/${stopped}/${action}"`));
    };
    expect(await offered()).toEqual(["pause"]);
    await doTwice(`/sites/${stopped}/pause`);
    expect(await offered()).toEqual(["unpause"]);
  });

  it("leaves a sound ledger", async () => {
    expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
  });
});
