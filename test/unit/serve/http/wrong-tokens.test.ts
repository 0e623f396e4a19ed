import { expect, it } from "vitest";
import { createWrongTokens } from "../../../../src/serve/http/wrong-tokens.ts";

it("lets each wrong login wait longer than those that wait already, up to a limit, and holds only some of them", async () => {
  const waits: number[] = [];
  const release: (() => void)[] = [];
  const sleep = (ms: number) => {
    waits.push(ms);
    return new Promise<void>((resolve) => release.push(resolve));
  };
  const log = { debug: () => {}, info: () => {}, warn: () => {} };
  const wrong = createWrongTokens(log, { now: () => 0, sleep });
  const all = Array.from({ length: 40 }, () => wrong.slowDown());
  expect(waits.slice(0, 6)).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
  expect(waits).toHaveLength(32);
  for (const resolve of release) {
    resolve();
  }
  await Promise.all(all);
  void wrong.slowDown();
  expect(waits.at(-1)).toBe(500);
});
