/** The calendar of a ledger in which more rights end than one look counts. */
import { expect, test } from "vitest";
import type { RightsCalendar } from "../../../../src/agent/rights/rights-agent.ts";
import { rightsPage } from "../../../../src/serve/web/pages/rights.ts";

const end = { host: "news.example", action: "purge" } as const;
const calendar: RightsCalendar = {
  until: Date.UTC(2027, 1, 20),
  countedUntil: Date.UTC(2026, 10, 25, 13),
  days: [
    { day: "2026-11-24", ...end, pages: 598 },
    { day: "2026-11-25", ...end, pages: 387 },
  ],
  earliest: [],
  ended: [],
};
const show = (report: RightsCalendar) =>
  String(rightsPage.body(report, { asked: { query: {} }, mayAct: false, now: 0, address: "/rights" }));
const atLeast = (text: string) => [...text.matchAll(/at least <data[^>]*>(\d+)</g)].map(([, pages]) => pages);

test("says of a day that was counted in part that there are at least so many, and that more end", () => {
  const text = show(calendar);
  expect(text).toContain("More rights end than one look counts");
  // In the numbers of the chart, and in the table.
  expect(atLeast(text)).toEqual(["387", "387"]);
  expect(atLeast(show({ ...calendar, countedUntil: calendar.until }))).toEqual([]);
});
