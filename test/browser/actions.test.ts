/** Each action that the month has something for, by keyboard alone: done once, however often its form is sent, and never by a token that may only read. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { TOKENS } from "../../demo/month/month-config.ts";
import { ACTIONS } from "../../src/serve/web/actions/all-actions.ts";
import { PAGES } from "../../src/serve/web/pages/all-pages.ts";
import { findChromiumProblem, openChromium } from "../doubles/chromium.ts";
import { findAddresses } from "./addresses.ts";
import { openContext } from "./browser-page.ts";
import { type BrowserWorld, openWorld } from "./browser-world.ts";
import { fill, follow, tabTo } from "./keyboard.ts";

const problem = findChromiumProblem();
const MENU = PAGES.filter(({ menu }) => menu !== null).map(({ path }) => path);
/** What the month has something for, in an order in which one leaves the next something to do. */
const REACHED = [
  "/purchases/:id/resolve",
  "/items/:id/close",
  "/alerts/:id/acknowledge",
  "/documents/purge",
  "/sites/:host/pause",
  "/runs/start",
];

describe.skipIf(problem !== null)("an action", () => {
  let browser: Browser;
  let world: BrowserWorld;
  let cookie: string;
  let addresses: ReadonlyMap<string, string>;
  beforeAll(async () => {
    browser = await openChromium();
    world = await openWorld("month", inject("browserLedgers"));
    cookie = await world.logIn(TOKENS.anna);
    const found = await findAddresses(world.url, MENU, cookie);
    addresses = new Map(
      ACTIONS.flatMap(({ path }) => {
        const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}(?:\\?.*)?$`);
        const first = found.find((address) => pattern.test(address.path));
        return first === undefined ? [] : [[path, first.path] as const];
      }),
    );
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  test.each(REACHED)(
    "%s is done once, by keyboard, with its reason, and never by a token that may only read",
    async (path) => {
      const address = addresses.get(path) ?? "";
      expect([...addresses.keys()]).toContain(path);
      const why = `by keyboard: ${path} <b>&amp;`;
      const reader = await world.logIn(TOKENS.reader);
      expect(await look(address, reader)).toBe(403);

      const { context, problems } = await openContext(browser, world.url, { cookie });
      const page = await context.newPage();
      await page.goto(address);
      const sent = page.waitForRequest((request) => request.method() === "POST");
      await send(page, why);
      const form = (await sent).postData() ?? "";
      expect(page.url()).not.toBe(world.url + address);
      expect(problems).toEqual([]);
      await context.close();

      await expect.poll(() => countActs(why), { timeout: 20_000 }).toBe(1);
      expect(await post(address, form, cookie)).toBe(303);
      expect(await countActs(why)).toBe(1);
      expect(await post(address, form, reader)).toBe(403);
      expect(await countActs(why)).toBe(1);
    },
  );

  test("of two browsers at once is done once", async () => {
    const doubts = JSON.parse((await world.cli("status", "--json")).stdout).inDoubt as { purchaseId: number }[];
    const [{ purchaseId } = { purchaseId: 0 }] = doubts;
    const open = async (token: string) => {
      const { context } = await openContext(browser, world.url, { cookie: await world.logIn(token) });
      const page = await context.newPage();
      await page.goto(`/purchases/${purchaseId}/resolve`);
      return page;
    };
    const pages = await Promise.all([open(TOKENS.anna), open(TOKENS.ben)]);
    await Promise.all(pages.map((page) => send(page, "of two browsers at once")));
    expect(await countActs("of two browsers at once")).toBe(1);
    await Promise.all(pages.map((page) => page.context().close()));
  });

  /** Fills in the form of an action, and sends it. Of a choice, the first. */
  async function send(page: Page, why: string): Promise<void> {
    for (const choice of await page.locator("main fieldset").all()) {
      const first = await choice.getByRole("radio").first().getAttribute("value");
      await tabTo(page, "radio", new RegExp(`^${(first ?? "").replaceAll("_", " ")}$`));
      await page.keyboard.press("Space");
    }
    await fill(page, /^Why/, why);
    await follow(page, "button", (await page.locator("main form.stack button").textContent()) ?? "");
  }

  async function countActs(why: string): Promise<number> {
    const { acts } = JSON.parse((await world.cli("log", "--json", "--limit", "500")).stdout);
    return acts.filter(({ reason }: { reason: string | null }) => reason === why).length;
  }

  const look = async (address: string, as: string) =>
    (await fetch(world.url + address, { headers: { cookie: as, accept: "text/html" }, redirect: "manual" })).status;

  const post = async (address: string, body: string, as: string) => {
    const headers = { cookie: as, accept: "text/html", "content-type": "application/x-www-form-urlencoded" };
    return (await fetch(world.url + address, { method: "POST", body, headers, redirect: "manual" })).status;
  };
});
