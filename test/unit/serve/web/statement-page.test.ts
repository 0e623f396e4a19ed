/** The page of a month that has more lines than are shown at once. */
import { expect, test } from "vitest";
import { toMicros } from "../../../../src/money/micros.ts";
import { statementPage } from "../../../../src/serve/web/pages/statement.ts";
import { createStatement } from "../../../../src/statement/create-statement.ts";
import { parseCalendarMonth } from "../../../../src/time/calendar-month.ts";

const month = parseCalendarMonth("2026-11") ?? { name: "", from: 0, to: 0 };
const purchases = Array.from({ length: 501 }, (_, run) => ({
  ...{ kind: "charged" as const, intent: "content" as const, byOperator: false, group: `run_${1_000 + run}` },
  ...{ currency: "USD", chargedCurrency: "USD", budgetMonth: "2026-11", pages: 1 },
  ...{ setAsideMicros: toMicros(0), chargedMicros: toMicros(1_000_000 + run), feeMicros: toMicros(0) },
}));
const facts = { purchases, openDoubts: [], uses: [], receipts: [], lastOfMonthAt: null, lastBookedAt: null };
const statement = createStatement(month, { by: "run", host: null }, facts, null);
const show = (query: object) =>
  String(
    statementPage.body(statement, {
      ...{ asked: { params: { month: "2026-11" }, query: { by: "run", ...query } }, now: 0, address: "/money/2026-11" },
      mayAct: false,
    }),
  );

test("shows 500 lines at once, goes on behind them, and adds up all of them", () => {
  const first = show({});
  expect(first.match(/"\/runs\/run_1\d\d\d"/g)).toHaveLength(500);
  expect(first).toContain('href="?by=run&amp;cursor=500" rel="next"');
  const second = show({ cursor: "500" });
  expect(second.match(/"\/runs\/run_1\d\d\d"/g)).toEqual(['"/runs/run_1500"']);
  expect(second).not.toContain('rel="next"');
  expect(second).toContain('href="/money/2026-10?by=run"');
  const charged = purchases.reduce((sum, { chargedMicros }) => sum + chargedMicros, 0);
  expect(first).toContain(`value="${charged}"`);
  expect(second).toContain(`value="${charged}"`);
});
