/** What pages of others do to somebody who is logged in, in Chromium: from another port of this machine, and under another name of it. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { TOKENS } from "../../demo/month/month-config.ts";
import { findChromiumProblem, openChromium } from "../doubles/chromium.ts";
import { type LoopbackServer, startLoopbackServer } from "../doubles/loopback-server.ts";
import { visit } from "./browser-page.ts";
import { type BrowserWorld, openWorld } from "./browser-world.ts";
import { logIn } from "./keyboard.ts";

const problem = findChromiumProblem();

describe.skipIf(problem !== null)("a page of somebody else", () => {
  let browser: Browser;
  let world: BrowserWorld;
  let other: LoopbackServer;
  let served = "";
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    browser = await openChromium();
    world = await openWorld("empty", inject("browserLedgers"));
    other = await startLoopbackServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end(served);
    });
  });
  afterAll(async () => {
    await browser?.close();
    await other?.close();
    await world?.close();
  });
  beforeEach(async () => {
    // Under its name, the service is of the same site as other ports of this machine, and of another site than `localhost`.
    context = await browser.newContext({ baseURL: world.url });
    page = await context.newPage();
    await logIn(page, TOKENS.anna, "/log");
  });
  afterEach(() => context.close());

  const isLoggedIn = async () => {
    await visit(page, "/log");
    return ((await page.getByRole("banner").textContent()) ?? "").includes("anna");
  };
  const places = () => [other.baseUrl, other.baseUrl.replace("127.0.0.1", "localhost")];

  test("cannot log anybody out, log them in as somebody else, or act", async () => {
    const form = (await page.locator('input[name="form"]').first().getAttribute("value")) ?? "";
    const wanted: readonly (readonly [string, Record<string, string>])[] = [
      ["/logout", {}],
      // Even with the token of a form that was stolen.
      ["/logout", { form }],
      ["/login", { token: TOKENS.ben }],
      ["/api/v1/runs", {}],
    ];
    for (const place of places()) {
      for (const [path, fields] of wanted) {
        const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
        served = `<form id="f" method="post" action="${world.url}${path}">${inputs.join("")}</form><script>document.getElementById("f").submit()</script>`;
        const [answer] = await Promise.all([
          page.waitForResponse((response) => response.url().endsWith(path)),
          page.goto(place, { waitUntil: "commit" }),
        ]);
        await page.waitForURL(world.url + path);
        expect(answer.status(), `${path} from ${place}`).toBe(403);
        expect(await isLoggedIn()).toBe(true);
      }
    }
  });

  test("reads nothing of it", async () => {
    for (const place of places()) {
      served = "<p>a page of somebody else</p>";
      await page.goto(place);
      for (const path of ["/log", "/api/v1/status", "/metrics"]) {
        const read = await page.evaluate(
          `fetch(${JSON.stringify(world.url + path)}, { credentials: "include" }).then((answer) => answer.text(), () => "refused")`,
        );
        expect(read).toBe("refused");
      }
    }
  });

  test("shows nothing of it in a frame", async () => {
    for (const place of places()) {
      served = `<iframe src="${world.url}/log"></iframe><object data="${world.url}/log"></object><embed src="${world.url}/log">`;
      await page.goto(place);
      // A refused frame shows a page of the browser, which takes its place while it is read: then all are read again.
      await expect.poll(() => readFrames(page)).not.toContain("Decisions");
    }
  });

  test("learns no address of it", async () => {
    served = "<p>a page of somebody else</p>";
    await page.evaluate(
      `document.body.insertAdjacentHTML("beforeend", '<a id="out" href="${other.baseUrl}/from">out</a>')`,
    );
    await Promise.all([page.waitForURL(`${other.baseUrl}/from`), page.locator("#out").click()]);
    const asked = other.received.find(({ target }) => target === "/from");
    expect(asked?.headers).toBeDefined();
    expect(asked?.headers.referer).toBeUndefined();
  });
});

async function readFrames(page: Page): Promise<string> {
  const texts = await Promise.all(page.frames().map((frame) => frame.evaluate("document.body?.innerText ?? ''")));
  return texts.join(" ");
}
