/** The table of operations: which group runs which, and that the whole port is there. */
import { expect, it, onTestFinished } from "vitest";
import { openMemoryLedger } from "../../../src/ledger/sqlite/open.ts";
import { OPERATIONS } from "../../../src/ledger/sqlite/operations.ts";

const { writes, reads, inPieces } = OPERATIONS;

it("has each operation in one group", () => {
  const names = [writes, reads, inPieces].flatMap((group) => Object.keys(group));
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

it("gives each function the name of its operation", () => {
  for (const [name, operation] of [writes, reads, inPieces].flatMap((group) => Object.entries(group))) {
    expect(operation.name).toBe(name);
  }
});

it("is what a ledger offers, with its reports", async () => {
  const ledger = await openMemoryLedger();
  onTestFinished(() => ledger.close());
  const own = [writes, reads, inPieces].flatMap((group) => Object.keys(group));
  const others = Object.keys(ledger).filter((name) => !own.includes(name));
  expect(Object.keys(ledger)).toEqual(expect.arrayContaining(own));
  expect(others.filter((name) => !/^(?:audit|find|has|read)/.test(name))).toEqual(["close"]);
});
