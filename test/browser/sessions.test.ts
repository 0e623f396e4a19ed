/** Logging in and out in Chromium, by keyboard alone: what survives a restart of the service, and what ends a session. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { TOKENS } from "../../demo/month/month-config.ts";
import { findChromiumProblem, openChromium } from "../doubles/chromium.ts";
import { openContext, visit } from "./browser-page.ts";
import { type BrowserWorld, openWorld } from "./browser-world.ts";
import { follow, logIn } from "./keyboard.ts";

const problem = findChromiumProblem();
/** As many as are told at once that something happened (web/live.ts). */
const STREAMS_OF_TOKEN = 25;

describe.skipIf(problem !== null)("a session", () => {
  let browser: Browser;
  let world: BrowserWorld;
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    browser = await openChromium();
    world = await openWorld("empty", inject("browserLedgers"));
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });
  beforeEach(async () => {
    ({ context } = await openContext(browser, world.url));
    page = await context.newPage();
  });
  afterEach(() => context.close());

  const header = () => page.getByRole("banner").textContent();
  const path = () => page.url().slice(world.url.length);

  test("begins with a token, leads to the page that was wanted, and ends with Log out", async () => {
    await logIn(page, TOKENS.anna, "/log?limit=7");
    expect(path()).toBe("/log?limit=7");
    expect(await header()).toContain("anna");
    await follow(page, "button", "Log out");
    await visit(page, "/log");
    expect(await header()).not.toContain("anna");
    expect(await context.cookies()).toEqual([]);
  });

  test("does not begin with a wrong token, and begins with the right one after many", async () => {
    for (const guess of ["", "wrong", `${TOKENS.anna}x`].slice(1)) {
      await logIn(page, guess);
      expect(await page.getByRole("alert").textContent()).toContain("not a token");
      expect(await context.cookies()).toEqual([]);
    }
    await logIn(page, TOKENS.anna, "/log");
    expect(await header()).toContain("anna");
  });

  test("keeps a cookie that no script and no other site can use, without the token", async () => {
    await logIn(page, TOKENS.reader, "/log");
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
    expect(cookie?.value).not.toContain(TOKENS.reader);
    expect(await page.evaluate("document.cookie")).toBe("");
  });

  test("of a token that looks at very many pages shows each of them, and says of the last ones that they are not drawn again", async () => {
    const cookie = await world.logIn(TOKENS.anna);
    const leaving = new AbortController();
    // They are kept: the stream of an answer that is collected as garbage is closed.
    const streams: Response[] = [];
    for (let each = 0; each < STREAMS_OF_TOKEN; each += 1) {
      streams.push(await fetch(`${world.url}/live`, { headers: { cookie }, signal: leaving.signal }));
    }
    await logIn(page, TOKENS.anna, "/");
    await page.getByRole("contentinfo").getByRole("status").waitFor({ state: "visible" });
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Overview");
    expect(streams.filter(({ body }) => body?.locked === false)).toHaveLength(STREAMS_OF_TOKEN);
    leaving.abort();
  });

  test("survives a restart of the service", async () => {
    await logIn(page, TOKENS.anna, "/log");
    await world.restart();
    await page.reload();
    expect(await header()).toContain("anna");
  });

  test("ends when its token is taken out of the configuration, and that of another token goes on", async () => {
    await logIn(page, TOKENS.ben, "/log");
    const other = await openContext(browser, world.url);
    const pageOfAnna = await other.context.newPage();
    await logIn(pageOfAnna, TOKENS.anna, "/log");
    await world.restart(({ serve }) => {
      if (serve?.tokens !== undefined) {
        serve.tokens = serve.tokens.filter(({ name }) => name !== "ben");
      }
    });
    await page.reload();
    expect(await header()).not.toContain("ben");
    await pageOfAnna.reload();
    expect(await pageOfAnna.getByRole("banner").textContent()).toContain("anna");
    await other.context.close();
  });

  test("is not one that somebody set before the login", async () => {
    const planted = { name: "licet", value: "chosen-by-somebody-else", url: world.url };
    await context.addCookies([planted]);
    await logIn(page, TOKENS.anna, "/log");
    const cookies = await context.cookies();
    expect(cookies).toHaveLength(1);
    expect(cookies[0]?.value).not.toBe(planted.value);
    await context.clearCookies();
    await context.addCookies([planted]);
    await page.reload();
    expect(await header()).not.toContain("anna");
  });

  test.each([
    "https://elsewhere.example/",
    "//elsewhere.example/",
    "/\\elsewhere.example",
    "javascript:alert(1)",
    "/\t/elsewhere.example",
  ])("does not lead to %j after the login", async (next) => {
    await logIn(page, TOKENS.anna, next);
    expect(new URL(page.url()).origin).toBe(world.url);
  });
});
