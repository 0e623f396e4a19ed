import { expect, it } from "vitest";
import { barChart } from "../../../../../src/serve/web/html/charts.ts";

const DAYS = [
  { day: "2026-11-01", spent: 0, doubt: 0 },
  { day: "2026-11-02", spent: 1, doubt: 0 },
  { day: "2026-11-03", spent: 1_000_000, doubt: 250_000 },
];

const draw = (rows: typeof DAYS) =>
  String(
    barChart({
      title: "Spend by day",
      parts: ["spent", "in doubt"],
      rows,
      bar: ({ day, spent, doubt }) => ({ label: day, values: [spent, doubt] }),
      top: (value) => `${value} micros`,
      columns: [
        { title: "Day", cell: ({ day }) => day },
        { title: "Spent", cell: ({ spent }) => spent },
      ],
      empty: "Nothing was spent.",
    }),
  );

it("has a bar for each value that is not zero, however small, and no bar for zero", () => {
  const drawn = draw(DAYS);
  const heights = [...drawn.matchAll(/<rect class="(bar-\d)"[^>]* height="([\d.]+)"/g)].map(([, part, height]) => [
    part,
    Number(height),
  ]);
  expect(heights).toEqual([
    ["bar-1", 2],
    ["bar-1", expect.closeTo(150.4, 1)],
    ["bar-2", expect.closeTo(37.6, 1)],
  ]);
});

it("has all of its numbers in a table, and says so to who hears the page", () => {
  const drawn = draw(DAYS);
  expect(drawn).toContain('aria-label="Spend by day. The numbers are in the table below."');
  expect(drawn.match(/<tr>/g)).toHaveLength(1 + DAYS.length);
  expect(drawn).toContain(">1000000</td>");
});

it("says why there is nothing to draw", () => {
  expect(draw([])).toBe('<p class="empty">Nothing was spent.</p>');
  expect(draw(DAYS.slice(0, 1))).not.toContain("NaN");
});

it("leaves out, on a telephone, the labels that would be cut or stand in each other", () => {
  const month = Array.from({ length: 30 }, (_, index) => ({ day: `2026-11-${10 + index}`, spent: 1, doubt: 0 }));
  const ticks = [...draw(month).matchAll(/<text class="(tick[^"]*)" x="([\d.]+)"/g)].map(([, name, x]) => ({
    name,
    x: Number(x),
  }));
  expect(ticks).toHaveLength(10);
  const narrow = ticks.filter(({ name }) => name === "tick").map(({ x }) => x);
  expect(narrow).toEqual([8, 273.2, 538.4]);
});
