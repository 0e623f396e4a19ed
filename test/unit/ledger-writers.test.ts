/** Which files of the ledger write what: the rule that no movement of money is written without all that it counts. */
import { expect, test } from "vitest";
import { TRIGGERS } from "../../src/ledger/sqlite/schema/triggers.ts";
import { listFiles, read } from "../tidy/repository.ts";

const sources = listFiles().filter((file) => /^(src|jobs)\/.*\.ts$/.test(file));

test("lets one file write each part of a movement of money", () => {
  const writersOf = (statement: RegExp) =>
    sources.filter((file) => statement.test(read(file))).map((file) => file.replace("src/ledger/sqlite/", ""));
  const toTable = (tables: string) =>
    new RegExp(`\\b(?:INSERT(?: OR \\w+)? INTO|REPLACE INTO|UPDATE(?: OR \\w+)?|DELETE FROM) (?:${tables})\\b`, "i");
  const toColumn = (table: string, column: string) =>
    new RegExp(`\\bUPDATE ${table}\\b(?:(?!\\bWHERE\\b)[^;])*\\b${column}\\s*=`, "i");
  expect(writersOf(toTable("purchase"))).toEqual(["purchases/purchase-rows.ts"]);
  expect(writersOf(toTable("use"))).toEqual(["usage/use-rows.ts"]);
  expect(writersOf(toColumn("usage_batch", "(?:state|closed_at|body|idempotency_id)"))).toEqual([
    "usage/report-rows.ts",
  ]);
  expect(writersOf(/INSERT INTO usage_batch\b/)).toEqual(["usage/report-rows.ts"]);
  expect(writersOf(toColumn("page", "held_purchase_id"))).toEqual(["purchases/stored-content.ts"]);
  expect(writersOf(/INSERT INTO content\b/)).toEqual(["purchases/stored-content.ts"]);
  // A run of which nothing is left goes with its empty balances.
  expect(writersOf(toTable("balance"))).toEqual(["money/balance-book.ts", "runs/prune.ts"]);
  expect(writersOf(toTable("booking"))).toEqual(["money/bookings.ts"]);
  expect(writersOf(toTable("counter|site_total"))).toEqual(["money/counters.ts"]);
  expect(writersOf(toColumn("run(?:_site)?", "approved"))).toEqual(["money/counters.ts"]);
  // The counts of a frontier that is made again, of a plan, and of a run of which nothing is left, go with their rows.
  expect(writersOf(toTable("tally"))).toEqual([
    "frontier/frontier-rebuild.ts",
    "money/counters.ts",
    "runs/leftovers.ts",
    "runs/prune.ts",
  ]);
  // A statement names its table: none is put together so that this test does not see it.
  expect(writersOf(/\b(?:INSERT INTO|UPDATE|DELETE FROM) \$\{/)).toEqual([]);
});

test("has triggers that refuse, and no other", () => {
  expect(
    TRIGGERS.filter(
      (text) => !/\bBEFORE (?:UPDATE|DELETE)\b[\s\S]*BEGIN\n {2}SELECT RAISE\(ABORT, '[^']+'\);\nEND$/.test(text),
    ),
  ).toEqual([]);
});
