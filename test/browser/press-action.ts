/** An action as a person takes it who has a keyboard and nothing else, and what others can do with its page and its form. */
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { TOKENS } from "../../demo/month/month-config.ts";
import { openContext, visit } from "./browser-page.ts";
import type { BrowserWorld } from "./browser-world.ts";
import { fill, follow, tabTo } from "./keyboard.ts";

/**
 * Anna presses the button of an action, with a reason. The action is done once under that reason, although its form is sent again, and a token that may
 * only read gets neither the page nor anything by the form.
 */
export async function pressOnce(
  browser: Browser,
  world: BrowserWorld,
  { address, why }: { readonly address: string; readonly why: string },
): Promise<void> {
  const [anna, reader] = [await world.logIn(TOKENS.anna), await world.logIn(TOKENS.reader)];
  const url = world.url + address;
  const look = await fetch(url, { headers: { cookie: reader, accept: "text/html" }, redirect: "manual" });
  expect(look.status).toBe(403);

  const { context, problems } = await openContext(browser, world.url, { cookie: anna });
  const page = await context.newPage();
  expect(await visit(page, address)).toBe(200);
  const sent = page.waitForRequest((request) => request.method() === "POST");
  await send(page, why);
  const form = (await sent).postData() ?? "";
  expect(page.url()).not.toBe(url);
  expect(problems).toEqual([]);
  await context.close();

  const post = async (cookie: string) => {
    const headers = { cookie, accept: "text/html", "content-type": "application/x-www-form-urlencoded" };
    return (await fetch(url, { method: "POST", body: form, headers, redirect: "manual" })).status;
  };
  await expect.poll(() => countActs(world, why)).toBe(1);
  expect(await post(anna)).toBe(303);
  expect(await countActs(world, why)).toBe(1);
  expect(await post(reader)).toBe(403);
  expect(await countActs(world, why)).toBe(1);
}

/** Fills in the form of an action, and sends it. Of a choice, the first. */
export async function send(page: Page, why: string): Promise<void> {
  for (const choice of await page.locator("main fieldset").all()) {
    const first = await choice.getByRole("radio").first().getAttribute("value");
    await tabTo(page, "radio", new RegExp(`^${(first ?? "").replaceAll("_", " ")}$`));
    await page.keyboard.press("Space");
  }
  await fill(page, /^Why/, why);
  await follow(page, "button", (await page.locator("main form.stack button").textContent()) ?? "");
}

/** How many decisions stand in the log with this reason. */
export async function countActs(world: BrowserWorld, why: string): Promise<number> {
  const { acts } = JSON.parse((await world.cli("log", "--json", "--limit", "500")).stdout);
  return acts.filter(({ reason }: { reason: string | null }) => reason === why).length;
}
