/** What a person does who has a keyboard and nothing else. */
import type { Page } from "playwright-core";

const MAX_TABS = 300;

/** Goes with Tab to the element of this role and name, as a screen reader says it. @throws Error when Tab never comes there */
export async function tabTo(
  page: Page,
  role: "link" | "button" | "textbox" | "radio",
  name: string | RegExp,
): Promise<void> {
  const target = page.getByRole(role, { name }).first();
  await target.waitFor({ state: "attached" });
  for (let presses = 0; presses < MAX_TABS; presses += 1) {
    if ((await target.and(page.locator(":focus")).count()) === 1) {
      return;
    }
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not come to the ${role} ${name} on ${page.url()}`);
}

/** Goes to a link or button, presses Enter, and waits for the page that comes. */
export async function follow(page: Page, role: "link" | "button", name: string | RegExp): Promise<void> {
  await tabTo(page, role, name);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
}

/** Goes to a field, and types. What stood there is replaced. */
export async function fill(page: Page, name: string | RegExp, text: string): Promise<void> {
  await tabTo(page, "textbox", name);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(text);
}

/** Logs in, from the login page to the page that comes then. */
export async function logIn(page: Page, token: string, next = "/"): Promise<void> {
  await page.goto(`/login?next=${encodeURIComponent(next)}`);
  // The field has the focus at once.
  await page.locator("input[name=token]:focus").waitFor();
  await page.keyboard.type(token);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
}
