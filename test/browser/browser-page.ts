/** A page in Chromium that remembers what went wrong with it: errors of its script, reports of its policy, requests to anybody else. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { askUntilRead } from "../doubles/too-busy.ts";

export const SIZES = { wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } };

/** What went wrong, in words. Empty: nothing. */
export type Problems = string[];

export interface WatchedContext {
  readonly context: BrowserContext;
  readonly problems: Problems;
}

export interface ContextOptions extends BrowserContextOptions {
  /** Of a session, `name=value`. @default nobody is logged in */
  readonly cookie?: string;
}

/** Those that `visit` loads just now. */
const visited = new WeakSet<Page>();

/** @param origin the only one that pages may ask */
export async function openContext(
  browser: Browser,
  origin: string,
  { cookie, ...options }: ContextOptions = {},
): Promise<WatchedContext> {
  const context = await browser.newContext({ baseURL: origin, viewport: SIZES.wide, ...options });
  if (cookie !== undefined) {
    const [name = "", value = ""] = cookie.split("=");
    await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: "Strict" }]);
  }
  const problems: Problems = [];
  context.on("console", (message) => {
    const page = message.page();
    // Of the page itself, while `visit` loads it, which says what it had at last. Not of what a page loads.
    const isOfVisit = page !== null && visited.has(page) && message.location().url === page.url();
    const isRefused = isOfVisit && message.text().includes("status of 503");
    if (!isRefused && (message.type() === "error" || message.type() === "warning")) {
      problems.push(`${message.page()?.url()}: console: ${message.text()}`);
    }
  });
  context.on("weberror", (error) => problems.push(`${error.page()?.url()}: ${error.error()}`));
  context.on("dialog", (dialog) => {
    problems.push(`${dialog.page()?.url()}: a dialog says ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) {
      problems.push(`a page asked for ${request.url()}`);
    }
  });
  return { context, problems };
}

/** Loads a page, and again while the service asks for it. @returns the status of the last answer */
export async function visit(page: Page, path: string): Promise<number> {
  visited.add(page);
  try {
    const { status } = await askUntilRead(async () => {
      const answer = await page.goto(path);
      return { status: answer?.status() ?? 0, text: await page.content() };
    });
    return status;
  } finally {
    visited.delete(page);
  }
}
