/** The audit of a large ledger reads each row a few times, and never a whole table for each row of another. */
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { auditLedger } from "../../src/ledger/sqlite/audit/audit-ledger.ts";
import { freeze, leaseFlusher, settle } from "../doubles/usage-outbox-driver.ts";
import { auditAfter, createLedgerBytes } from "./audited-world.ts";
import { crawl, NOON } from "./crawling.ts";
import { enlarge } from "./large-ledger.ts";
import { fillWithAll } from "./scenarios.ts";

const PAGES = 3_000;

interface Step {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

test("finds no violation in a correct ledger of thousands of pages, and names the one that is damaged", async () => {
  const small = await createLedgerBytes(async (ledger) => {
    await crawl(ledger, { runId: "large", at: NOON, pages: { "/a": "settled" }, feeMicros: 10 });
    const fence = await leaseFlusher(ledger);
    await settle(ledger, await freeze(ledger, fence));
    await ledger.releaseFlusher(fence);
  });
  const db = new Database(small);
  db.pragma("foreign_keys = OFF");
  const frozen = db
    .prepare<[], string>("SELECT sql FROM sqlite_schema WHERE name = 'usage_batch_is_frozen'")
    .pluck()
    .get();
  db.exec("DROP TRIGGER usage_batch_is_frozen");
  enlarge(db, PAGES);
  db.exec(frozen ?? "");
  const large = db.serialize();
  db.close();
  expect(auditAfter(large, "")).toMatchObject({
    violations: [],
    totals: { documents: PAGES, uses: { reported: PAGES } },
  });
  expect(auditAfter(large, `DELETE FROM content WHERE purchase_id = ${PAGES - 1}`).violations).toContainEqual({
    promise: 4,
    detail: `purchase ${PAGES - 1} is settled without content`,
  });
});

test("does not read a whole table for each row of another", async () => {
  const db = new Database(await createLedgerBytes(fillWithAll));
  const queries = listQueries(db);
  expect(queries.length).toBeGreaterThan(150);
  const slow = queries.filter((sql) => {
    const unbound = (sql.match(/\?/g) ?? []).map(() => null);
    return hasInnerScan(db.prepare<null[], Step>(`EXPLAIN QUERY PLAN ${sql}`).all(...unbound));
  });
  db.close();
  expect(slow).toEqual([]);
});

function listQueries(db: Database.Database): string[] {
  const queries = new Set<string>();
  const listening = new Proxy(db, {
    get: (target, name) => {
      if (name === "prepare") {
        return (sql: string) => {
          queries.add(sql);
          return target.prepare(sql);
        };
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  auditLedger(listening, { budgets: [], now: NOON }, () => []);
  return [...queries];
}

/**
 * A SCAN within the loop over another table, or within what is asked anew for each row. What is materialized is read once, and
 * json_each reads one value of a row.
 */
function hasInnerScan(steps: readonly Step[]): boolean {
  function isSlow(parent: number, isRepeated: boolean): boolean {
    let loops = isRepeated ? 1 : 0;
    return steps
      .filter((step) => step.parent === parent)
      .some(({ id, detail }) => {
        const isLoop = /^(SCAN|SEARCH)/.test(detail) && !/CONSTANT ROW|VIRTUAL TABLE/.test(detail);
        const isInnerScan = isLoop && detail.startsWith("SCAN") && loops > 0;
        loops += isLoop ? 1 : 0;
        const isOnce = /^(MATERIALIZE|CO-ROUTINE|LIST)/.test(detail);
        return isInnerScan || isSlow(id, detail.startsWith("CORRELATED") || (isRepeated && !isOnce));
      });
  }
  return isSlow(0, false);
}
