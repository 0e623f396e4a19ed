/**
 * Every page in Chromium: over each ledger, wide and light or narrow and dark, with and without its script. Nothing is in the way of anybody, nothing
 * is asked of anybody else, nothing is wider than the window, no link is dead, and each number is one of `--json`. A page of the month is loaded once
 * with its script and once without: the one time it is wide and light, the other time narrow and dark. Of the other ledgers, each second page is loaded
 * with its script and the others without. At night each is loaded in both ways, and is both each time.
 */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { TOKENS } from "../../demo/month/month-config.ts";
import { ACTIONS } from "../../src/serve/web/actions/all-actions.ts";
import { PAGES } from "../../src/serve/web/pages/all-pages.ts";
import { findChromiumProblem, openChromium } from "../doubles/chromium.ts";
import { PLAYS_ALL } from "../doubles/whole-suite.ts";
import { type Address, findAddresses, linksOf } from "./addresses.ts";
import { findBarriers, findFlaws } from "./barriers.ts";
import { openContext, SIZES, visit, type WatchedContext } from "./browser-page.ts";
import { type BrowserWorld, LEDGERS, type LedgerName, openWorld } from "./browser-world.ts";
import { findOtherNumbers, readMarks, wordsOf } from "./page-numbers.ts";

const problem = findChromiumProblem();
const SKIPPED = problem === null ? "" : ` (skipped: ${problem})`;
const MENU = PAGES.filter(({ menu }) => menu !== null).map(({ path }) => path);
const ACTION_PATHS = ACTIONS.map(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}(?:\\?.*)?$`));
const isAction = (path: string) => ACTION_PATHS.some((pattern) => pattern.test(path));
const AT_ONCE = 2;
/** A page and its command are read one after the other, and a service writes between them: its lease, deliveries of alerts. */
const TRIES = 3;
/** Both sizes and both colours: no rule of the style sheet is for one pair of them. */
const LOOKS = [
  { size: "wide", colorScheme: "light" },
  { size: "narrow", colorScheme: "dark" },
] as const;
/** @param time 0 with the script, 1 without it */
const looksAt = (address: Address, addresses: readonly Address[], time: 0 | 1) =>
  LOOKS.filter((_, look) => PLAYS_ALL || look === (addresses.indexOf(address) + time) % LOOKS.length);
/** A machine may be slow with all pages of a ledger, but not with a third of them. */
const THIRDS = [0, 1, 2].map((nth) => ({ nth, third: `third ${nth + 1}` }));
/** Where a morning in trouble says what no other ledger says. */
const OF_TROUBLE = /^\/(?:|alerts|doubts|workers|(?:runs|reports|plans|sites)\/[^/?]+)$/;
/** The month has all elements, the empty ledger its own words; many runs, and what a filter leaves, are more of the same. */
const hasOwnElements = (ledger: LedgerName, path: string): boolean =>
  (isAction(path) || !path.includes("?")) &&
  (ledger === "trouble" ? OF_TROUBLE.test(path) : ledger === "month" || ledger === "empty");
/** A form that changes something, but for logging out. */
const ACTING_FORM = /<form[^>]* method="post"(?! action="\/logout")/i;

let browser: Browser;
beforeAll(async () => {
  if (problem === null) {
    browser = await openChromium();
  }
});
afterAll(() => browser?.close());

describe.skipIf(problem !== null).each(LEDGERS)(`over the ledger "%s"${SKIPPED}`, (ledger) => {
  let world: BrowserWorld;
  let addresses: readonly Address[];
  beforeAll(async () => {
    world = await openWorld(ledger, inject("browserLedgers"));
    addresses = await findAddresses(world.url, MENU, await world.logIn(TOKENS.anna));
  });
  afterAll(() => world?.close());

  test("links lead to each page", () => {
    const isReached = (path: string) => addresses.some(({ shape }) => shape === path.replaceAll(/:\w+/g, ":"));
    // What names one thing is reached when there is such a thing.
    const expected = PAGES.filter(({ path }) => ledger === "month" || !path.includes(":"));
    expect(expected.filter(({ path }) => !isReached(path)).map(({ path }) => path)).toEqual([]);
  });

  /** @param time as of `looksAt` */
  const toVisit = (nth: number, time: 0 | 1) =>
    addresses.filter(
      (_, index) =>
        index % THIRDS.length === nth && (PLAYS_ALL || ledger === "month" || Math.floor(index / 2) % 2 === time),
    );

  test.each(THIRDS)("each page is whole: $third", async ({ nth }) => {
    const watched = await openContext(browser, world.url, { cookie: await world.logIn(TOKENS.anna) });
    await each(toVisit(nth, 0), watched, (page, address) =>
      look(page, address.path, watched, looksAt(address, addresses, 0), () =>
        hasOwnElements(ledger, address.path) ? findBarriers(page) : [],
      ),
    );
    expect(watched.problems).toEqual([]);
  });

  test("a token that may only read sees every page, and neither a form nor a link that acts", async () => {
    const cookie = await world.logIn(TOKENS.reader);
    for (const { path } of addresses.filter((one) => !isAction(one.path))) {
      const answer = await fetch(world.url + path, { headers: { cookie, accept: "text/html" } });
      const text = await answer.text();
      expect(answer.status, path).toBe(200);
      expect(ACTING_FORM.exec(text), path).toBeNull();
      expect(linksOf(text, path).filter(isAction), path).toEqual([]);
    }
  });

  test.each(THIRDS)(
    "each page is whole without its script, and each number is in the answer of the command beside it: $third",
    async ({ nth }) => {
      const cookie = await world.logIn(TOKENS.anna);
      const watched = await openContext(browser, world.url, { javaScriptEnabled: false, cookie });
      let compared = 0;
      await each(toVisit(nth, 1), watched, async (page, address) => {
        const { path } = address;
        await look(page, path, watched, looksAt(address, addresses, 1));
        // The command beside an action acts, and what its page shows is shown on another page too.
        if (isAction(path)) {
          return;
        }
        for (let tries = 1; ; tries += 1) {
          const marks = await readMarks(page);
          const others = findOtherNumbers(marks, await Promise.all(marks.commands.map(answer)));
          compared += marks.values.length;
          if (others.length === 0 || tries === TRIES) {
            watched.problems.push(...others.map((other) => `${path}: ${other}`));
            return;
          }
          await visit(page, path);
        }
      });
      expect(watched.problems).toEqual([]);
      expect(compared).toBeGreaterThan(0);
    },
  );

  async function answer(command: string): Promise<unknown> {
    const [program, ...args] = wordsOf(command);
    expect(program).toBe("licet");
    const { stdout, stderr } = await world.cli(...args);
    expect(stdout, `${command} says nothing but ${stderr}`).not.toBe("");
    return JSON.parse(stdout);
  }
});

async function look(
  page: Page,
  path: string,
  { problems }: WatchedContext,
  looks: readonly (typeof LOOKS)[number][],
  more: () => Promise<readonly string[]> | readonly string[] = () => [],
): Promise<void> {
  for (const { size, colorScheme } of looks) {
    await page.setViewportSize(SIZES[size]);
    await page.emulateMedia({ colorScheme });
    const found = [...(await findFlaws(page)), ...(await more())];
    problems.push(...found.map((flaw) => `${path}, ${size} and ${colorScheme}: ${flaw}`));
  }
}

/** Some pages at once, each in a tab of its own. */
async function each(
  addresses: readonly Address[],
  { context, problems }: WatchedContext,
  look: (page: Page, address: Address) => Promise<void>,
): Promise<void> {
  const left = [...addresses];
  const work = async () => {
    const page = await context.newPage();
    for (let address = left.shift(); address !== undefined; address = left.shift()) {
      const status = await visit(page, address.path);
      if (status !== 200) {
        problems.push(`a link leads to ${address.path}, which answers ${status}`);
      }
      await look(page, address);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await context.close();
}
