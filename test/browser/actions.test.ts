/** Each action, by keyboard alone: done once, however often its form is sent, and never by a token that may only read. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { compareBooks, settleDoubts } from "../../demo/compare-books.ts";
import { TOKENS } from "../../demo/month/month-config.ts";
import { type Agent, createAgent, loadConfig } from "../../src/index.ts";
import { ACTIONS } from "../../src/serve/web/actions/all-actions.ts";
import { PAGES } from "../../src/serve/web/pages/all-pages.ts";
import { findChromiumProblem, openChromium } from "../doubles/chromium.ts";
import { findAddresses } from "./addresses.ts";
import { openContext, visit } from "./browser-page.ts";
import { type BrowserWorld, openWorld } from "./browser-world.ts";
import { countActs, pressOnce, send } from "./press-action.ts";
import { PAUSED_SITE, WAITING_PLAN } from "./trouble.ts";

const problem = findChromiumProblem();
const MENU = PAGES.filter(({ menu }) => menu !== null).map(({ path }) => path);
/** What the month has something for, in an order in which one leaves the next something to do. */
const OF_MONTH = [
  "/purchases/:id/resolve",
  "/items/:id/close",
  "/alerts/:id/acknowledge",
  "/documents/purge",
  "/sites/:host/pause",
  "/runs/start",
];
/** What a morning in trouble has something for. */
const OF_TROUBLE = [
  "/sites/:host/unpause",
  "/reports/:id/resolve",
  "/runs/:id/stop",
  "/runs/:id/cancel",
  "/runs/:id/resume",
  "/plans/:name/approve",
];

let browser: Browser;
beforeAll(async () => {
  if (problem === null) {
    browser = await openChromium();
  }
});
afterAll(() => browser?.close());

test("every action is pressed below", () => {
  expect([...OF_MONTH, ...OF_TROUBLE].sort()).toEqual(ACTIONS.map(({ path }) => path).sort());
});

describe.skipIf(problem !== null)("an action of the month", () => {
  let world: BrowserWorld;
  let addresses: ReadonlyMap<string, string>;
  beforeAll(async () => {
    world = await openWorld("month", inject("browserLedgers"));
    const found = await findAddresses(world.url, MENU, await world.logIn(TOKENS.anna));
    addresses = new Map(
      ACTIONS.flatMap(({ path }) => {
        const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}(?:\\?.*)?$`);
        const first = found.find((address) => pattern.test(address.path));
        return first === undefined ? [] : [[path, first.path] as const];
      }),
    );
  });
  afterAll(() => world?.close());

  test.each(OF_MONTH)(
    "%s is done once, by keyboard, with its reason, and never by a token that may only read",
    async (path) => {
      expect([...addresses.keys()]).toContain(path);
      await pressOnce(browser, world, {
        address: addresses.get(path) ?? "",
        why: `by keyboard: ${path} <b>&amp;`,
      });
    },
  );

  test("of two browsers at once is done once", async () => {
    const doubts = JSON.parse((await world.cli("status", "--json")).stdout).inDoubt as { purchaseId: number }[];
    const [{ purchaseId } = { purchaseId: 0 }] = doubts;
    const open = async (token: string) => {
      const { context } = await openContext(browser, world.url, { cookie: await world.logIn(token) });
      const page = await context.newPage();
      await visit(page, `/purchases/${purchaseId}/resolve`);
      return page;
    };
    const pages = await Promise.all([open(TOKENS.anna), open(TOKENS.ben)]);
    await Promise.all(pages.map((page) => send(page, "of two browsers at once")));
    expect(await countActs(world, "of two browsers at once")).toBe(1);
    await Promise.all(pages.map((page) => page.context().close()));
  });
});

describe.skipIf(problem !== null)("an action of a morning in trouble", () => {
  let world: BrowserWorld;
  let agent: Agent;
  beforeAll(async () => {
    world = await openWorld("trouble", inject("browserLedgers"));
    agent = createAgent(await loadConfig({ cwd: world.directory, env: {} }));
  });
  afterAll(async () => {
    await agent?.close();
    await world?.close();
  });

  const press = (address: string, why: string) => pressOnce(browser, world, { address, why });
  const stateOf = async (runId: string) => (await agent.runStatus(runId)).state;
  const untilEnded = (runId: string) => expect.poll(() => stateOf(runId)).not.toMatch(/^(?:running|interrupted)$/);

  test("the morning has a wait, a stopped site, doubts, a report without an answer, alerts that reach nobody, a pause and a plan", async () => {
    const status = await agent.status();
    expect(status.waits.map(({ place }) => place)).toContain("gateway");
    expect(status.openItems.map(({ kind }) => kind).sort()).toEqual(["needs_reconcile", "overcharged"]);
    expect(status.inDoubt.length).toBeGreaterThan(0);
    expect(status.alerts.undelivered.map(({ kind }) => kind)).toContain("ledger_low_disk");
    expect(status.paused.map(({ host }) => host)).toEqual([PAUSED_SITE]);
    expect((await agent.plans()).plans).toMatchObject([{ name: WAITING_PLAN, plan: { refused: null, runs: [] } }]);
  });

  test("ends the pause of a site", async () => {
    await press(`/sites/${PAUSED_SITE}/unpause`, "its prices are known now");
    expect((await agent.status()).paused).toEqual([]);
  });

  test("settles a report that had no answer", async () => {
    const { reports } = await agent.usageReports({ state: "needs_reconcile" });
    await press(`/reports/${reports[0]?.batchId}/resolve`, "the gateway's operator has it");
    expect((await agent.status()).usage).toMatchObject({ needsReconcile: 0 });
  });

  test("stops a run that waits, and cancels it then", async () => {
    const waiting = (await agent.status()).unfinished.find(({ isAlive }) => isAlive);
    const runId = waiting?.runId ?? "";
    await press(`/runs/${runId}/stop`, "the gateway is away");
    await expect.poll(() => stateOf(runId)).toBe("interrupted");
    await press(`/runs/${runId}/cancel`, "another run looks tomorrow");
    expect(await stateOf(runId)).toBe("cancelled");
  });

  test("resumes a run and approves a plan, and the gateway's books agree with what was bought", async () => {
    await world.gateway.restore();
    const stopped = (await agent.status()).unfinished.find(({ state }) => state === "interrupted");
    const runId = stopped?.runId ?? "";
    expect((await agent.runStatus(runId)).pages.bought).toBe(0);
    await press(`/runs/${runId}/resume`, "its prices are right");
    await untilEnded(runId);
    expect((await agent.runStatus(runId)).pages.bought).toBeGreaterThan(0);

    const { content } = await agent.planDetails(WAITING_PLAN);
    await press(`/plans/${WAITING_PLAN}/approve?content=${content}`, "more news");
    const [run] = (await agent.planDetails(WAITING_PLAN)).plan.runs;
    await untilEnded(run?.runId ?? "");
    expect((await agent.runStatus(run?.runId ?? "")).pages.bought).toBeGreaterThan(0);

    await settleDoubts(agent, world.sandbox);
    await agent.report();
    expect(await compareBooks(agent, world.sandbox)).toEqual([]);
    expect(await agent.audit()).toMatchObject({ ok: true });
  });
});
