/**
 * `npm run screenshots` takes the pictures of the documents, over a month of real runs. With `--all DIRECTORY` it takes every page of every ledger, wide
 * and narrow, light and dark, for somebody who looks at all of them; `--ledger month` only those of one.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Browser, BrowserContext } from "playwright-core";
import { TOKENS } from "../../demo/month/month-config.ts";
import { GUIDES } from "../../demo/month/month-sites.ts";
import { PAGES } from "../../src/serve/web/pages/all-pages.ts";
import { openChromium } from "../doubles/chromium.ts";
import { findAddresses } from "./addresses.ts";
import { openContext, SIZES } from "./browser-page.ts";
import { type BrowserWorld, LEDGERS, openWorld } from "./browser-world.ts";
import { startMakingLedgers } from "./make-ledgers.ts";

const IMAGES = fileURLToPath(new URL("../../docs/images/", import.meta.url));
/** What is below is more of the same. */
const LONGEST = 1_800;
const PICTURE = { width: 1200, height: 760 };

interface Picture {
  readonly path: string;
  readonly colorScheme: "light" | "dark";
  /** The heading at the top of the picture. Null: the beginning of the page. */
  readonly from: string | null;
}

/** The pictures of the documents, by name. */
const PICTURES: Readonly<Record<string, Picture>> = {
  overview: { path: "/", colorScheme: "light", from: null },
  prices: { path: `/sites/${GUIDES}?maxPrice=0.03+USD`, colorScheme: "dark", from: "Prices" },
};

const { values } = parseArgs({ options: { all: { type: "string" }, ledger: { type: "string" } } });
const making = startMakingLedgers();
const browser = await openChromium();
try {
  await (values.all === undefined ? takePictures(browser) : takeAll(browser, values.all));
} finally {
  await browser.close();
  await making.remove();
}

async function takePictures(browser: Browser): Promise<void> {
  const world = await openWorld("month", making.ledgers);
  try {
    const cookie = await world.logIn(TOKENS.anna);
    for (const [name, { path, colorScheme, from }] of Object.entries(PICTURES)) {
      const { context } = await openContext(browser, world.url, { viewport: PICTURE, colorScheme, cookie });
      const page = await context.newPage();
      await page.goto(path);
      if (from !== null) {
        await page.evaluate(
          `[...document.querySelectorAll("h2")].find((one) => one.textContent === "${from}").scrollIntoView()`,
        );
      }
      await page.screenshot({ path: join(IMAGES, `${name}.png`) });
      await context.close();
    }
  } finally {
    await world.close();
  }
}

async function takeAll(browser: Browser, directory: string): Promise<void> {
  for (const name of LEDGERS.filter((ledger) => values.ledger === undefined || values.ledger === ledger)) {
    await mkdir(join(directory, name), { recursive: true });
    const world = await openWorld(name, making.ledgers);
    try {
      await takeLedger(browser, world, join(directory, name));
    } finally {
      await world.close();
    }
  }
}

async function takeLedger(browser: Browser, world: BrowserWorld, directory: string): Promise<void> {
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ["light", "dark"] as const) {
      const cookie = await world.logIn(TOKENS.anna);
      const { context } = await openContext(browser, world.url, { viewport, colorScheme, cookie });
      const starts = PAGES.filter(({ menu }) => menu !== null).map(({ path }) => path);
      for (const { path, shape } of await findAddresses(world.url, starts, cookie)) {
        const file = shape === "/" ? "home" : shape.slice(1).replaceAll(/[^a-z]+/gi, "-");
        await take(context, path, join(directory, `${file}-${size}-${colorScheme}.png`));
      }
      await context.close();
    }
  }
}

async function take(context: BrowserContext, path: string, file: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(path);
  const { width = 0 } = page.viewportSize() ?? {};
  const height = Math.min(LONGEST, Number(await page.evaluate("document.documentElement.scrollHeight")));
  await page.screenshot({ path: file, fullPage: true, clip: { x: 0, y: 0, width, height } });
  await page.close();
}
