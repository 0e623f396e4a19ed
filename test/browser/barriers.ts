/** What is in the way of somebody: what axe-core finds, and what is wider than the window. */
import axe from "axe-core";
import type { Page } from "playwright-core";
import type { Problems } from "./browser-page.ts";

export async function findBarriers(page: Page): Promise<Problems> {
  await page.evaluate(`if (typeof axe !== "object") { ${axe.source} }`);
  const found = await page.evaluate(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
       violations.flatMap(({ id, help, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) => [id, help, html.slice(0, 300), failureSummary].join(" | "))))`,
  );
  return found as string[];
}

/** Elements and attributes that no page has: what stands in a title or a URL must not become one. */
const MADE_OF_TEXT = [
  "main script",
  "main img",
  "main object",
  "main embed",
  "main style",
  "main iframe:not([sandbox=''])",
  "base",
  "[onclick]",
  "[onload]",
  "[onerror]",
  "[onmouseover]",
  "[style]",
  "a[href^='javascript']",
  "a[href^='data']",
];

/** What is as it must be on every page, at each size. */
export async function findFlaws(page: Page): Promise<Problems> {
  const { headings, overflow, wide, made } = (await page.evaluate(`({
    headings: document.querySelectorAll("h1").length,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    wide: [...document.querySelectorAll("main *")].filter((one) => one.closest(".scroll, svg") === null &&
      one.getBoundingClientRect().right > document.documentElement.clientWidth + 1).slice(0, 3).map((one) => one.outerHTML.slice(0, 200)),
    made: [...document.querySelectorAll(${JSON.stringify(MADE_OF_TEXT.join(", "))})].slice(0, 3).map((one) => one.outerHTML.slice(0, 200)),
  })`)) as Record<"headings" | "overflow", number> & Record<"wide" | "made", readonly string[]>;
  return [
    ...(headings === 1 ? [] : [`the page has ${headings} headings of the first level`]),
    ...(overflow <= 0 ? [] : [`the page is ${overflow} pixels wider than the window: ${wide.join(" ")}`]),
    ...made.map((one) => `text became an element: ${one}`),
  ];
}
