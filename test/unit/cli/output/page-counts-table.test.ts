import { expect, it } from "vitest";
import { denialTable, pageCountsTable } from "../../../../src/cli/reports/page-counts-table.ts";

const NOTHING = {
  seen: 0,
  unchanged: 0,
  excluded: 0,
  denied: 0,
  deniedBy: { policy: 0, offer: 0, limit: 0, stored: 0 },
  undecided: 0,
  approved: 0,
};
const BOUGHT = [{ title: "bought", count: ({ approved }: typeof NOTHING) => approved }];

it("splits the denied pages by class, and leaves out a class that counts nothing anywhere", () => {
  const a = { ...NOTHING, seen: 10, unchanged: 1, denied: 5, deniedBy: { policy: 2, offer: 0, limit: 3, stored: 0 } };
  const b = { ...NOTHING, seen: 4, excluded: 1, approved: 3 };
  const all = { ...a, seen: 14, excluded: 1, approved: 7, undecided: 0 };
  const rows = [
    { host: "a.example", pages: { ...a, approved: 4 } },
    { host: "b.example", pages: b },
  ];
  expect(pageCountsTable(rows, all, BOUGHT).split("\n")).toEqual([
    "  site       seen  unchanged  excluded  by policy  by limit  bought",
    "  a.example    10          1         0          2         3       4",
    "  b.example     4          0         1          0         0       3",
    "  all          14          1         1          2         3       7",
    "",
  ]);
});

it("shows the pages that were not decided if there are some", () => {
  const pages = { ...NOTHING, seen: 3, approved: 1, undecided: 2 };
  expect(pageCountsTable([{ host: "a.example", pages }], pages, BOUGHT)).toBe(
    "  site       seen  unchanged  excluded  bought  not decided\n  a.example     3          0         0       1            2\n",
  );
});

it("lists denial reasons with their class", () => {
  expect(denialTable({ not_licensable: 2, budget_exhausted: 30 })).toBe(
    "  30  budget_exhausted  by limit\n   2  not_licensable    no offer\n",
  );
});
