/** What a look at the calendar of rights reads of a ledger with many sites. */
import { expect, test } from "vitest";
import type { ReportTx } from "../../../src/ledger/sqlite/reports/queries.ts";
import { readEnding } from "../../../src/ledger/sqlite/reports/read-ending.ts";

const DAY_MS = 86_400_000;
const POLICIES = { standard: { retentionMs: DAY_MS, onExpiry: "keep", isAsked: false, hosts: {} } } as never;

/** @returns the most pages that its queries may answer with */
function countPages(sites: number): number {
  let most = 0;
  const all = (sql: string, ...values: readonly unknown[]) => {
    if (sql.includes("FROM site ORDER BY host")) {
      return Array.from({ length: sites }, (_, index) => ({ siteId: index, host: `site-${index}.example` }));
    }
    most += sql.endsWith("LIMIT ?") ? Number(values.at(-1)) : 0;
    return [];
  };
  readEnding({ all } as unknown as ReportTx, { policies: POLICIES, now: 10 * DAY_MS, until: 20 * DAY_MS });
  return most;
}

test("some thousand pages are looked at, of however many sites", () => {
  expect([1, 8, 50].map(countPages)).toEqual([2_200, 3_600, 3_600]);
  expect(countPages(1_000)).toBe(40_000);
});
