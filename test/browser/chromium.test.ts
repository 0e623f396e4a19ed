/** The browser of this machine, before any page: without it the other tests of this folder are skipped, and this one says so. */
import axe from "axe-core";
import { expect, test } from "vitest";
import { findChromiumProblem, openChromium } from "../doubles/chromium.ts";

const problem = findChromiumProblem();

test.skipIf(problem !== null)(
  `Chromium finds what is wrong with a page${problem === null ? "" : ` (${problem})`}`,
  async () => {
    const browser = await openChromium();
    try {
      const page = await browser.newPage();
      await page.setContent("<!doctype html><title>A page</title><img src='data:,'>");
      await page.evaluate(axe.source);
      const found = await page.evaluate("axe.run().then(({ violations }) => violations.map(({ id }) => id))");
      expect(found).toContain("image-alt");
    } finally {
      await browser.close();
    }
  },
);
