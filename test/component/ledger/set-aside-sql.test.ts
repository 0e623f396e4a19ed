import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, it } from "vitest";
import { setAsideMicros } from "../../../src/budget/set-aside.ts";
import { SET_ASIDE_SQL } from "../../../src/ledger/sqlite/money/set-aside-sql.ts";
import { toMicros } from "../../../src/money/micros.ts";

it("adds up what a row sets aside in SQL as the function does", () => {
  const db = new Database(":memory:");
  db.exec("CREATE TABLE purchase (quoted_micros INTEGER, fee_micros INTEGER, use_reserve_micros INTEGER)");
  const insert = db.prepare("INSERT INTO purchase VALUES (?, ?, ?)");
  const sum = db.prepare(`SELECT sum(${SET_ASIDE_SQL}) FROM purchase`).pluck();
  const micros = fc.nat({ max: 10 ** 12 }).map(toMicros);
  fc.assert(
    fc.property(fc.array(fc.tuple(micros, micros, micros), { minLength: 1, maxLength: 20 }), (rows) => {
      db.exec("DELETE FROM purchase");
      for (const row of rows) {
        insert.run(...row);
      }
      const expected = rows.reduce(
        (total, [quotedMicros, feeMicros, useReserveMicros]) =>
          total + setAsideMicros({ quotedMicros, feeMicros, useReserveMicros }),
        0,
      );
      expect(sum.get()).toBe(expected);
    }),
    { numRuns: 50 },
  );
  db.close();
});
