import { expect, it } from "vitest";
import { openFileSpool } from "../../src/ledger/sqlite/engine/file-spool.ts";

it("gives back what was added by key, then by time, then as it came", () => {
  const spool = openFileSpool();
  spool.add([
    { key: "b", at: 1, text: "first of b" },
    { key: "a", at: 2, text: "later" },
  ]);
  spool.add([
    { key: "a", at: 1, text: "earlier" },
    { key: "b", at: 1, text: "second of b" },
  ]);
  expect([...spool.sorted()].map(({ text }) => text)).toEqual(["earlier", "later", "first of b", "second of b"]);
  spool.close();
});

it("holds more rows than its memory, and is closed in the middle of reading", () => {
  const spool = openFileSpool();
  const text = "x".repeat(10_000);
  for (let n = 0; n < 2_000; n += 100) {
    spool.add(Array.from({ length: 100 }, (_, i) => ({ key: `key-${(n + i) % 7}`, at: n + i, text })));
  }
  const seen: number[] = [];
  for (const { at } of spool.sorted()) {
    seen.push(at);
    if (seen.length === 500) {
      break;
    }
  }
  expect(seen[0]).toBe(0);
  expect(seen[499]).toBe((499 % 286) * 7 + Math.floor(499 / 286));
  spool.close();
  spool.close();
});
